"""What EKS and Karpenter share: machine types, images, EFA, ids."""
