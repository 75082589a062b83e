"""All ways to save that can be tried here."""

import os

from parts.agent_saves import AgentSave, ClientSave
from parts.saves import BatchSave, InitSave, LeftoverSave, PassphraseSave, Save, StaticSave


def available(context):
    """The saves, and why some cannot be tried."""
    saves, missing = [Save(), PassphraseSave(), InitSave(), LeftoverSave(), ClientSave()], []
    if context.static and os.path.exists(context.static):
        saves.append(StaticSave())
    else:
        missing.append((StaticSave.name, "there is no static program"))
    if os.geteuid() == 0:
        saves.append(AgentSave())
    else:
        missing.append((AgentSave.name, "only root may trace an agent"))
    if context.program("UpdateProbe"):
        saves.append(BatchSave())
    else:
        missing.append((BatchSave.name, f"there is no UpdateProbe in {context.programs}"))
    return saves, missing
