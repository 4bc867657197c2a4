import { detached } from './detached.ts';

interface WaitingCall<Item, Result> extends PromiseWithResolvers<Result> {
  item: Item;
}

/**
 * Works on what several callers want in one go: on all items of the same turn of the event loop, and on those that came
 * while the last group was worked on. `work` resolves to a result for each item, in their order. When it rejects for a
 * group, it is called for each item alone, so that nobody gets the error of another one: it must have changed nothing
 * then. It runs outside the transactions of the callers.
 */
export function groupCalls<Item, Result>(
  work: (items: Item[]) => Promise<readonly Result[]>,
  maxItems: number,
): (item: Item) => Promise<Result> {
  const waiting: Array<WaitingCall<Item, Result>> = [];
  let isServing = false;

  async function serve(): Promise<void> {
    // The other callers of this turn add their items first.
    await new Promise((resolve) => setImmediate(resolve));
    while (waiting.length > 0) await settle(waiting.splice(0, maxItems));
    isServing = false;
  }

  async function settle(calls: Array<WaitingCall<Item, Result>>): Promise<void> {
    let results: readonly Result[];
    try {
      results = await work(calls.map(({ item }) => item));
    } catch (error) {
      const [only, ...others] = calls;
      if (others.length === 0) only?.reject(error);
      else for (const call of calls) await settle([call]);
      return;
    }
    for (const [index, call] of calls.entries()) call.resolve(results[index] as Result);
  }

  return (item) => {
    const call = { item, ...Promise.withResolvers<Result>() };
    waiting.push(call);
    if (!isServing) {
      isServing = true;
      void detached(serve);
    }
    return call.promise;
  };
}
