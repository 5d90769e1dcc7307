"""What the TrainJobs of the tests run. The SDK sends a function's source, so each imports what it needs itself."""

SAY_RANK = "import os, socket; print('rank', os.environ['OMPI_COMM_WORLD_RANK'], 'host', socket.gethostname(), 'at 0')"
"""What each process prints where the command is the runtime's own."""


def say_rank() -> None:
    """Each process says who and where it is, and when it began."""
    import os
    import socket
    import time

    print(f"rank {os.environ['OMPI_COMM_WORLD_RANK']} host {socket.gethostname()} at {time.time():.3f}", flush=True)


def sum_up() -> None:
    """An allreduce: each rank ends with the sum of what all ranks began with."""
    import socket

    from mpi4py import MPI

    world = MPI.COMM_WORLD
    total = world.allreduce(10**world.rank)
    print(f"rank {world.rank} host {socket.gethostname()} at 0 sum {total}", flush=True)


def write_checkpoint() -> None:
    """Each rank writes its part of one file on the shared volume, and reads the whole when all have."""
    import socket

    from mpi4py import MPI

    world = MPI.COMM_WORLD
    part = f"{world.rank} {socket.gethostname():60}\n".encode()
    file = MPI.File.Open(world, "/checkpoints/step-1", MPI.MODE_CREATE | MPI.MODE_RDWR)
    file.Write_at_all(world.rank * len(part), part)
    file.Sync()
    world.Barrier()
    whole = bytearray(len(part) * world.size)
    file.Read_at_all(0, whole)
    file.Close()
    print(f"rank {world.rank} host {socket.gethostname()} at 0 read {len(whole.split())}", flush=True)


# torchrun's rendezvous in small: the first node's address and port are in what Trainer injects, all others go there.
MEET = """
import os, socket, time
nodes, rank = int(os.environ["PET_NNODES"]), int(os.environ["PET_NODE_RANK"])
address = os.environ["PET_MASTER_ADDR"], int(os.environ["PET_MASTER_PORT"])
host = socket.gethostname()
if rank == 0:
    server = socket.create_server(("", address[1]))
    met = [server.accept()[0] for _ in range(nodes - 1)]
    hosts = [host, *(peer.recv(100).decode() for peer in met)]
    for peer in met:
        peer.sendall(" ".join(hosts).encode())
else:
    while True:
        try:
            peer = socket.create_connection(address, timeout=30)
            break
        except OSError as error:
            print("not yet:", error, flush=True)
            time.sleep(0.5)
    peer.sendall(host.encode())
    hosts = peer.recv(1000).decode().split()
print(f"rank {rank} host {host} at 0 met {sorted(hosts)}", flush=True)
"""
