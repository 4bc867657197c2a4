/** Makes `call` again and again until `task` has ended. Its last call has ended too, so that none outlives the test. */
export async function repeatWhile<T>(call: () => Promise<unknown>, task: Promise<T>): Promise<T> {
  let isOver = false;
  const calls = (async () => {
    while (!isOver) await call();
  })();
  try {
    return await task;
  } finally {
    isOver = true;
    await calls;
  }
}
