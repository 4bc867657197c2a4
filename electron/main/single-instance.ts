import { app } from 'electron';

/** Returns true for the first start. A second start passes its arguments on (`second-instance`) and ends. */
export function setupSingleInstance(): boolean {
  const isFirst = app.requestSingleInstanceLock();
  if (!isFirst) app.quit();
  return isFirst;
}
