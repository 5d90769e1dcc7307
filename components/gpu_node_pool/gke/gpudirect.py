"""GPUDirect on GKE: what pods need for it. Google's installers, which are DaemonSets, prepare the nodes.

Sources: GoogleCloudPlatform/container-engine-accelerators gpudirect-tcpx (nccl-test-latest.yaml@0e5609b,
nccl-config.yaml@21ed661), gpudirect-tcpxo (nccl-test-latest.yaml@089e022) and gpudirect-rdma (nccl-test.yaml@0920249);
GKE docs, "Maximize GPU network bandwidth"; for the variables of RDMA GKE docs, "Train with verl on GKE".
"""

import json
from collections.abc import Sequence

from ...k8s.containers import Container, VolumeMount
from ...k8s.env import EnvVar
from ...k8s.security import Capabilities, SecurityContext
from ...k8s.volumes import HostPathVolumeSource, Volume
from ...runtimes.placement import PodNetwork
from ..interconnect import AdditionalNetwork

TCPX_DAEMON = "us-docker.pkg.dev/gce-ai-infra/gpudirect-tcpx/tcpgpudmarxd-dev:v2.0.12"
TCPXO_DAEMON = "us-docker.pkg.dev/gce-ai-infra/gpudirect-tcpxo/tcpgpudmarxd-dev:v1.0.9"

_LIBRARIES = "/usr/local/nvidia/lib64"
_GPUS = [*(f"/dev/nvidia{gpu}" for gpu in range(8)), "/dev/nvidiactl", "/dev/nvidia-uvm"]

_TCPX_ENV = {
    "LD_LIBRARY_PATH": _LIBRARIES,
    "NCCL_SOCKET_IFNAME": "eth0",
    "NCCL_GPUDIRECTTCPX_CTRL_DEV": "eth0",
    "NCCL_GPUDIRECTTCPX_SOCKET_IFNAME": "eth1,eth2,eth3,eth4",
    "NCCL_GPUDIRECTTCPX_TX_BINDINGS": "eth1:8-21,112-125;eth2:8-21,112-125;eth3:60-73,164-177;eth4:60-73,164-177",
    "NCCL_GPUDIRECTTCPX_RX_BINDINGS": "eth1:22-35,126-139;eth2:22-35,126-139;eth3:74-87,178-191;eth4:74-87,178-191",
    "NCCL_GPUDIRECTTCPX_PROGRAM_FLOW_STEERING_WAIT_MICROS": "500000",
    "NCCL_DYNAMIC_CHUNK_SIZE": "524288",
    "NCCL_P2P_NET_CHUNKSIZE": "524288",
    "NCCL_P2P_PCI_CHUNKSIZE": "524288",
    "NCCL_P2P_NVL_CHUNKSIZE": "1048576",
    "NCCL_NSOCKS_PERTHREAD": "4",
    "NCCL_SOCKET_NTHREADS": "1",
    "NCCL_BUFFSIZE": "4194304",
    "NCCL_CROSS_NIC": "0",
    "NCCL_ALGO": "Ring",
    "NCCL_PROTO": "Simple",
    "NCCL_NET_GDR_LEVEL": "PIX",
    "NCCL_P2P_PXN_LEVEL": "0",
}

_TCPXO_ENV = {
    "LD_LIBRARY_PATH": _LIBRARIES,
    "NCCL_SOCKET_IFNAME": "eth0",
    "NCCL_FASTRAK_CTRL_DEV": "eth0",
    "NCCL_FASTRAK_IFNAME": "eth1,eth2,eth3,eth4,eth5,eth6,eth7,eth8",
    "NCCL_FASTRAK_LLCM_DEVICE_DIRECTORY": "/dev/aperture_devices",
    "NCCL_FASTRAK_NUM_FLOWS": "2",
    "NCCL_FASTRAK_ENABLE_CONTROL_CHANNEL": "0",
    "NCCL_FASTRAK_ENABLE_HOTPATH_LOGGING": "0",
    "NCCL_FASTRAK_USE_SNAP": "1",
    "NCCL_FASTRAK_USE_LLCM": "1",
    "NCCL_FASTRAK_PLUGIN_ACCEPT_TIMEOUT_MS": "600000",
    "NCCL_CROSS_NIC": "0",
    "NCCL_ALGO": "Ring,Tree",
    "NCCL_PROTO": "Simple",
    "NCCL_MIN_NCHANNELS": "4",
    "NCCL_P2P_NET_CHUNKSIZE": "524288",
    "NCCL_P2P_PCI_CHUNKSIZE": "524288",
    "NCCL_P2P_NVL_CHUNKSIZE": "1048576",
    "NCCL_BUFFSIZE": "8388608",
    "NCCL_NET_GDR_LEVEL": "PIX",
    "NCCL_NVLS_ENABLE": "0",
    "NCCL_TUNER_PLUGIN": "libnccl-tuner.so",
    "NCCL_TUNER_CONFIG_PATH": f"{_LIBRARIES}/a3plus_tuner_config.textproto",
    "NCCL_SHIMNET_GUEST_CONFIG_CHECKER_CONFIG_FILE": f"{_LIBRARIES}/a3plus_guest_config.textproto",
}

_RDMA_ENV = {
    "LD_LIBRARY_PATH": _LIBRARIES,
    "NCCL_NET_PLUGIN": "/usr/local/gib/lib64/libnccl-net_internal.so",
    "NCCL_CROSS_NIC": "0",
    "NCCL_NET_GDR_LEVEL": "PIX",
    "NCCL_P2P_NET_CHUNKSIZE": "131072",
    "NCCL_NVLS_CHUNKSIZE": "524288",
    "NCCL_IB_ADAPTIVE_ROUTING": "1",
    "NCCL_IB_QPS_PER_CONNECTION": "4",
    "NCCL_IB_TC": "52",
    "NCCL_IB_FIFO_TC": "84",
}
_TUNER = {"a3-ultragpu-8g": "a3u", "a4-highgpu-8g": "a4"}


def gpudirect(machine_type: str, networks: Sequence[AdditionalNetwork]) -> PodNetwork | None:
    """What pods on a machine type need for GPUDirect with these networks. None: the machine type has no GPUDirect."""
    match machine_type:
        case "a3-highgpu-8g":
            return _tcpx(_interfaces(networks))
        case "a3-megagpu-8g":
            return _tcpxo(_interfaces(networks))
        case "a3-ultragpu-8g" | "a4-highgpu-8g":
            return _rdma(_interfaces(networks), _TUNER[machine_type])
        case _:
            return None


def _tcpx(interfaces: dict[str, str]) -> PodNetwork:
    command = ("/tcpgpudmarxd/build/app/tcpgpudmarxd", "--gpu_nic_preset", "a3vm", "--gpu_shmem_type", "fd")
    daemon = Container(
        name="tcpx-daemon",
        image=TCPX_DAEMON,
        command=(*command, "--uds_path", "/run/tcpx", "--setup_param", "--verbose 128 2 0"),
        env=(EnvVar(name="LD_LIBRARY_PATH", value=_LIBRARIES),),
        security_context=SecurityContext(capabilities=Capabilities(add=("NET_ADMIN",))),
        volume_mounts=_mounts(
            {"nvidia": "/usr/local/nvidia", "tcpx": "/run/tcpx", "sys": "/hostsysfs", "proc-sys": "/hostprocsysfs"}
        ),
        restart_policy="Always",
    )
    return PodNetwork(
        annotations={"devices.gke.io/container.tcpx-daemon": _devices(_GPUS), **interfaces},
        env=_TCPX_ENV,
        volumes=_folders(
            {"nvidia": "/home/kubernetes/bin/nvidia", "tcpx": "/run/tcpx", "sys": "/sys", "proc-sys": "/proc/sys"}
        ),
        # NCCL's plugin looks for the daemon's sockets there.
        mounts=_mounts({"nvidia": "/usr/local/nvidia", "tcpx": "/tmp"}),  # noqa: S108 - the plugin's own path
        capabilities=("IPC_LOCK",),
        sidecars=(daemon,),
    )


def _tcpxo(interfaces: dict[str, str]) -> PodNetwork:
    start = "/fts/entrypoint_rxdm_container.sh"
    daemon = Container(
        name="tcpxo-daemon",
        image=TCPXO_DAEMON,
        command=("/bin/sh", "-c"),
        args=(f"chmod 755 {start} && exec {start} --num_hops=2 --num_nics=8 --uid= --alsologtostderr",),
        env=(EnvVar(name="LD_LIBRARY_PATH", value=_LIBRARIES),),
        security_context=SecurityContext(capabilities=Capabilities(add=("NET_ADMIN", "NET_BIND_SERVICE"))),
        volume_mounts=_mounts({"nvidia": "/usr/local/nvidia", "sys": "/hostsysfs", "proc-sys": "/hostprocsysfs"}),
        restart_policy="Always",
    )
    devices = [*_GPUS, "/dev/dmabuf_import_helper"]
    return PodNetwork(
        annotations={"devices.gke.io/container.tcpxo-daemon": _devices(devices), **interfaces},
        env=_TCPXO_ENV,
        volumes=_folders(
            {
                "nvidia": "/home/kubernetes/bin/nvidia",
                "sys": "/sys",
                "proc-sys": "/proc/sys",
                "aperture-devices": "/dev/aperture_devices",
            }
        ),
        mounts=_mounts({"nvidia": "/usr/local/nvidia", "aperture-devices": "/dev/aperture_devices"}),
        sidecars=(daemon,),
    )


def _rdma(interfaces: dict[str, str], tuner: str) -> PodNetwork:
    return PodNetwork(
        annotations=interfaces,
        env={**_RDMA_ENV, "NCCL_TUNER_CONFIG_PATH": f"/usr/local/gib/configs/tuner_config_{tuner}.txtpb"},
        volumes=_folders({"nvidia": "/home/kubernetes/bin/nvidia", "gib": "/home/kubernetes/bin/gib"}),
        mounts=_mounts({"nvidia": "/usr/local/nvidia", "gib": "/usr/local/gib"}),
    )


def _interfaces(networks: Sequence[AdditionalNetwork]) -> dict[str, str]:
    names = ("default", *(network.name for network in networks))
    interfaces = [{"interfaceName": f"eth{index}", "network": name} for index, name in enumerate(names)]
    return {
        "networking.gke.io/default-interface": "eth0",
        "networking.gke.io/interfaces": json.dumps(interfaces, separators=(",", ":")),
    }


def _devices(paths: Sequence[str]) -> str:
    return "".join(f"- path: {path}\n" for path in paths)


def _folders(paths: dict[str, str]) -> tuple[Volume, ...]:
    return tuple(Volume(name=name, host_path=HostPathVolumeSource(path=path)) for name, path in paths.items())


def _mounts(paths: dict[str, str]) -> tuple[VolumeMount, ...]:
    return tuple(VolumeMount(name=name, mount_path=path) for name, path in paths.items())
