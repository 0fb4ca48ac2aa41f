"""Campaigns: one function of a seed, computed for a list of independent seeds.

The seeds are computed in this process, in several processes of this computer, or on a Dask cluster.
The results come in the order of the seeds in every case, so a report of them is always the same.
"""

from controller.proof.campaign.campaign import Campaign
from controller.proof.campaign.errors import CampaignError
from controller.proof.campaign.stopping import is_stopped, until_interrupted

__all__ = ["Campaign", "CampaignError", "is_stopped", "until_interrupted"]
