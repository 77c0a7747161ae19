"""Other clients that ask the same questions: `python benchmarks/clients.py KIND URL QUESTIONS`.

QUESTIONS is a JSON list of {"text", "picture"}, a picture being a path. This file imports nothing
of the package, so that another Python with only a peer installed can run it.
"""

import argparse
import asyncio
import base64
import json
import os
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

MODEL = "vendor/model-x"
SYSTEM = "Answer briefly."
Question = dict[str, str]


def body(question: Question) -> dict[str, Any]:
    """The request; its picture is read now and not kept."""
    encoded = base64.b64encode(Path(question["picture"]).read_bytes()).decode("ascii")
    picture = {
        "type": "image_url",
        "image_url": {"url": f"data:image/png;base64,{encoded}"},
    }
    content = [picture, {"type": "text", "text": question["text"]}]
    messages = [{"role": "system", "content": SYSTEM}, {"role": "user", "content": content}]
    return {"model": MODEL, "messages": messages}


async def every(
    questions: list[Question], concurrency: int, ask: Callable[[Question], Awaitable[str]]
) -> list[str]:
    """All replies, with so many requests in flight."""
    waiting: Iterator[Question] = iter(questions)
    replies: list[str] = []

    async def work() -> None:
        for question in waiting:
            replies.append(await ask(question))

    await asyncio.gather(*(work() for _ in range(concurrency)))
    return replies


async def by_openai(url: str, questions: list[Question], concurrency: int) -> list[str]:
    """The openai package, as its documentation begins."""
    from openai import AsyncOpenAI

    async with AsyncOpenAI(base_url=url, api_key="none", max_retries=0) as client:

        async def ask(question: Question) -> str:
            completion = await client.chat.completions.create(**body(question))
            return completion.choices[0].message.content

        return await every(questions, concurrency, ask)


async def by_aiohttp(url: str, questions: list[Question], concurrency: int) -> list[str]:
    """JSON over HTTP with nothing around it: the floor in Python."""
    import aiohttp

    connector = aiohttp.TCPConnector(limit=concurrency)
    async with aiohttp.ClientSession(connector=connector) as session:

        async def ask(question: Question) -> str:
            async with session.post(f"{url}/chat/completions", json=body(question)) as response:
                completion = json.loads(await response.read())
            return completion["choices"][0]["message"]["content"]

        return await every(questions, concurrency, ask)


def by_inspect(url: str, questions: list[Question], concurrency: int) -> list[str]:
    """Inspect AI with its default logging; logs go to the working folder."""
    os.environ |= {"LOOP_BASE_URL": url, "LOOP_API_KEY": "none-needed"}
    from inspect_ai import Task, eval
    from inspect_ai.dataset import Sample
    from inspect_ai.model import (
        ChatMessageSystem,
        ChatMessageUser,
        ContentImage,
        ContentText,
    )
    from inspect_ai.solver import generate

    samples = [
        Sample(
            input=[
                ChatMessageSystem(content=SYSTEM),
                ChatMessageUser(
                    content=[
                        ContentImage(image=question["picture"]),
                        ContentText(text=question["text"]),
                    ]
                ),
            ]
        )
        for question in questions
    ]
    (log,) = eval(
        Task(dataset=samples, solver=generate()),
        model=f"openai-api/loop/{MODEL}",
        max_connections=concurrency,
        max_samples=concurrency,
        display="none",
        log_dir="inspect-logs",
    )
    return [sample.output.completion for sample in log.samples or []]


def main() -> None:
    """Ask everything; the exit code is 1 unless every reply came, and none twice."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kind", choices=["openai", "aiohttp", "inspect"])
    parser.add_argument("url")
    parser.add_argument("questions", type=Path)
    parser.add_argument("--concurrency", type=int, default=50)
    options = parser.parse_args()
    questions = json.loads(options.questions.read_text(encoding="utf-8"))
    if options.kind == "inspect":
        replies = by_inspect(options.url, questions, options.concurrency)
    else:
        client = by_openai if options.kind == "openai" else by_aiohttp
        replies = asyncio.run(client(options.url, questions, options.concurrency))
    if len(set(replies)) != len(questions):
        raise SystemExit(f"{len(set(replies))} different replies to {len(questions)} requests")


if __name__ == "__main__":
    main()
