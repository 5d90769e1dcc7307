"""What the API server and the kubelet reject in the Jobs and pods of a runtime."""
