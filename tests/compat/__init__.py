"""What released versions wrote into checkpoints, and what users wrote for them; read for ever, never written anew."""
