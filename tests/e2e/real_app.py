"""The real service without a model; run as a program it serves until it is killed.

python tests/e2e/real_app.py DATA_DIR PORT
"""

import sys
from pathlib import Path

import uvicorn

from app.main import create_app
from app.settings import Settings

if __name__ == "__main__":
    data_dir, port = Path(sys.argv[1]), int(sys.argv[2])
    settings = Settings(_env_file=None, data_dir=data_dir, default_kb="power-plant", llm="off")
    uvicorn.run(create_app(settings), port=port, log_level="warning", ws="none")
