"""The operators' images: the built controllers under upstream's image names, laid out as by upstream's Dockerfiles.

Upstream copies a static program into distroless' `static:nonroot` image (Dockerfile of sigs.k8s.io/jobset@v0.12.0,
cmd/trainer-controller-manager/Dockerfile of github.com/kubeflow/trainer/v2@v2.3.0). A controller needs only its user
and `/tmp`.
"""

import tarfile
from dataclasses import dataclass
from pathlib import Path

from tools.local_cluster.operators import DEFAULT, Operator
from tools.real_pods import IMAGES, image_archive

USER = "65532"
"""The user nonroot of distroless."""

PASSWD = f"root:x:0:0:root:/root:/sbin/nologin\nnonroot:x:{USER}:{USER}:nonroot:/home/nonroot:/sbin/nologin\n"
CONFIG = {"User": USER, "Entrypoint": ["/manager"], "WorkingDir": "/", "Env": ["PATH=/usr/bin:/bin"]}


@dataclass(frozen=True)
class OperatorImage:
    """The image of one operator's controller."""

    operator: Operator

    @property
    def name(self) -> str:
        """Its name in upstream's chart."""
        return self.operator.image_reference

    @property
    def archive(self) -> Path:
        """Path of the archive."""
        return IMAGES / f"{self.operator.program.name}.tar"

    def make(self) -> None:
        """Write the archive with the current program."""
        IMAGES.mkdir(parents=True, exist_ok=True)
        layer = self.archive.with_suffix(".layer")
        with tarfile.open(layer, "w") as tar:
            _add_folder(tar, "etc", 0o755)
            image_archive.add(tar, "etc/passwd", PASSWD.encode())
            image_archive.add(tar, "etc/group", f"root:x:0:\nnonroot:x:{USER}:\n".encode())
            _add_folder(tar, "tmp", 0o1777)
            tar.add(self.operator.program.path, "manager", filter=_of_root)
        image_archive.write(self.archive, self.name, layer, CONFIG)
        layer.unlink()


def _add_folder(tar: tarfile.TarFile, path: str, mode: int) -> None:
    member = tarfile.TarInfo(path)
    member.type, member.mode = tarfile.DIRTYPE, mode
    tar.addfile(member)


def _of_root(member: tarfile.TarInfo) -> tarfile.TarInfo:
    member.uid = member.gid = 0
    member.mode = 0o755
    return member


ALL = tuple(map(OperatorImage, DEFAULT))
