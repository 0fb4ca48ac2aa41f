"""The generator gives the bytes of the published known-answer vectors of the CAVP (HMAC_DRBG.rsp).

Each case instantiates, reseeds if it has an entropy input for that, and generates 128 bytes twice;
the second answer is published.
"""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from controller.run.chance.source import (
    MOST_BYTES,
    RESEED_INTERVAL,
    DrbgRefusedError,
    HmacDrbg,
)


@dataclass(frozen=True)
class Case:
    entropy: str
    nonce: str
    answer: str
    personalisation: str = ""
    reseed: str = ""
    additional_reseed: str = ""
    additional: tuple[str, str] = ("", "")


CASES = {
    "plain": Case(
        "ca851911349384bffe89de1cbdc46e6831e44d34a4fb935ee285dd14b71a7488",
        "659ba96c601dc69fc902940805ec0ca8",
        "e528e9abf2dece54d47c7e75e5fe302149f817ea9fb4bee6f4199697d04d5b89"
        "d54fbb978a15b5c443c9ec21036d2460b6f73ebad0dc2aba6e624abf07745bc1"
        "07694bb7547bb0995f70de25d6b29e2d3011bb19d27676c07162c8b5ccde0668"
        "961df86803482cb37ed6d5c0bb8d50cf1f50d476aa0458bdaba806f48be9dcb8",
    ),
    "personalised": Case(
        "5cacc68165a2e2ee20812f35ec73a79dbf30fd475476ac0c44fc6174cdac2b55",
        "6f885496c1e63af620becd9e71ecb824",
        "f1012cf543f94533df27fedfbf58e5b79a3dc517a9c402bdbfc9a0c0f721f9d5"
        "3faf4aafdc4b8f7a1b580fcaa52338d4bd95f58966a243cdcd3f446ed4bc546d"
        "9f607b190dd69954450d16cd0e2d6437067d8b44d19a6af7a7cfa8794e5fbd72"
        "8e8fb2f2e8db5dd4ff1aa275f35886098e80ff844886060da8b1e7137846b23b",
        personalisation="e72dd8590d4ed5295515c35ed6199e9d211b8f069b3058caa6670b96ef1208d0",
    ),
    "reseeded": Case(
        "06032cd5eed33f39265f49ecb142c511da9aff2af71203bffaf34a9ca5bd9c0d",
        "0e66f71edc43e42a45ad3c6fc6cdc4df",
        "76fc79fe9b50beccc991a11b5635783a83536add03c157fb30645e611c2898bb"
        "2b1bc215000209208cd506cb28da2a51bdb03826aaf2bd2335d576d519160842"
        "e7158ad0949d1a9ec3e66ea1b1a064b005de914eac2e9d4f2d72a8616a802254"
        "22918250ff66a41bd2f864a6a38cc5b6499dc43f7f2bd09e1e0f8f5885935124",
        reseed="01920a4e669ed3a85ae8a33b35a74ad7fb2a6bb4cf395ce00334a9c9a5a5d552",
    ),
    "with every input": Case(
        "93161b2dc08cb0fd50171141c865a841ca935cfdd2b5907d6ff8ab0348c4ceb0",
        "5cb9f6e5912b90c3349a50ab881b35a1",
        "4306628124d0100fade7eaaf5edf227d50771f9e5f2e1e983800eef9a39fde0b"
        "0c280e63c8728d836b5b93ea794a32c1c04cfc54bd5300e3febb5fe2e1023ede"
        "d8d7cd180279a598f76823e8d5a7dffcc93a09deec5d1f80838e938fba4de9f4"
        "7e94b99382ae55f116df9c3b3ddf7e50516e203645852a415796f03a86418107",
        "0dceb4a36326c4df1685df43fddeecb5d0c76f00eb44826694f27e610290f6e1",
        "d8e9be44b5f293482548d4787762ebfb03c73c40e45385e8b98907cd66f493dd",
        "105a8f85d6959f3e043ef508cfea21d52123f03b7aea8034c4eec761eaba1fee",
        (
            "bf781f7e489d9b4b5aa5ee6d1796468af672a8d25f311edf3c4b4dbf433d703f",
            "c81d6bcf1e5bf37e39dda1735c6f193df115b1a854a12e7cafe060afe4589335",
        ),
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_the_published_answer_is_given(name: str) -> None:
    case = CASES[name]
    entropy, nonce, own = map(bytes.fromhex, (case.entropy, case.nonce, case.personalisation))
    drbg = HmacDrbg(entropy, nonce, own)
    if case.reseed:
        drbg.reseed(bytes.fromhex(case.reseed), bytes.fromhex(case.additional_reseed))
    answers = [drbg.generate(128, bytes.fromhex(text)) for text in case.additional]
    assert answers[1].hex() == case.answer


def test_too_little_entropy_is_refused() -> None:
    with pytest.raises(
        DrbgRefusedError, match="an entropy input must have at least 32 bytes; got 31"
    ):
        HmacDrbg(bytes(31), bytes(16))
    with pytest.raises(DrbgRefusedError, match="a nonce must have at least 16 bytes; got 15"):
        HmacDrbg(bytes(32), bytes(15))
    with pytest.raises(DrbgRefusedError, match="got 31"):
        HmacDrbg(bytes(32), bytes(16)).reseed(bytes(31))


@pytest.mark.parametrize("size", [0, -1, MOST_BYTES + 1])
def test_a_request_of_a_forbidden_size_is_refused(size: int) -> None:
    with pytest.raises(DrbgRefusedError, match=f"got {size}"):
        HmacDrbg(bytes(32), bytes(16)).generate(size)


def test_after_too_many_requests_new_entropy_is_necessary() -> None:
    drbg = HmacDrbg(bytes(32), bytes(16))
    for _ in range(RESEED_INTERVAL):
        drbg.generate(1)
    with pytest.raises(DrbgRefusedError, match="reseed first"):
        drbg.generate(1)
    drbg.reseed(bytes(32))
    assert len(drbg.generate(40)) == 40
