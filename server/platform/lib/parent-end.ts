const CHECK_EVERY_MS = 250;

/** Calls back once when this process gets another parent, because the one with that id has ended. */
export function onParentEnd(callback: () => void, parent = process.ppid): void {
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    callback();
  }, CHECK_EVERY_MS);
  timer.unref();
}
