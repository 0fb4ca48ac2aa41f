"""The status of a table: one frozen value from which every client reads, and its changes.

`table_status` has the whole value; the other modules have its parts, which this package exports.
`feed` numbers the changes of the status, and `publication` publishes them.
"""

from controller.service.status.chance_status import (
    ChanceStatus,
    CycleStatus,
    PlayerShareStatus,
    RevealStatus,
)
from controller.service.status.choice import (
    Answers,
    GameChoice,
    Programme,
    Value,
)
from controller.service.status.machine_status import (
    AuditStatus,
    BoardStatus,
    CountsStatus,
    FaultStatus,
    HeadStatus,
    MachineStatus,
    PauseCauseStatus,
    SceneStatus,
    TilesStatus,
)
from controller.service.status.prompt_status import (
    OpenPrompt,
    PromptChoice,
    PromptKind,
)
from controller.service.status.round_status import (
    OpenFactStatus,
    OpenSetStatus,
    OpenTilesStatus,
    PlayedTileStatus,
    RoundStatus,
    ThrowStatus,
)
from controller.service.status.session_status import (
    RESULTS,
    Debt,
    HandResult,
    PaymentStatus,
    SeatStatus,
    SessionStatus,
)
from controller.service.status.table_status import (
    RECENT,
    STATUS_VERSION,
    LeadStatus,
    PlayersPicture,
    RecentEvent,
    ServiceName,
    ServiceStatus,
    Status,
    TableFacts,
)

__all__ = [
    "RECENT",
    "RESULTS",
    "STATUS_VERSION",
    "Answers",
    "AuditStatus",
    "BoardStatus",
    "ChanceStatus",
    "CountsStatus",
    "CycleStatus",
    "Debt",
    "FaultStatus",
    "GameChoice",
    "HandResult",
    "HeadStatus",
    "LeadStatus",
    "MachineStatus",
    "OpenFactStatus",
    "OpenPrompt",
    "OpenSetStatus",
    "OpenTilesStatus",
    "PauseCauseStatus",
    "PaymentStatus",
    "PlayedTileStatus",
    "PlayerShareStatus",
    "PlayersPicture",
    "Programme",
    "PromptChoice",
    "PromptKind",
    "RecentEvent",
    "RevealStatus",
    "RoundStatus",
    "SceneStatus",
    "SeatStatus",
    "ServiceName",
    "ServiceStatus",
    "SessionStatus",
    "Status",
    "TableFacts",
    "ThrowStatus",
    "TilesStatus",
    "Value",
]
