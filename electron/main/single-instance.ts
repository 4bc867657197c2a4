import { app } from 'electron';

/** True for the first start; a second one hands its arguments over (`second-instance`) and ends. */
export function setupSingleInstance(): boolean {
  const isFirst = app.requestSingleInstanceLock();
  if (!isFirst) app.quit();
  return isFirst;
}
