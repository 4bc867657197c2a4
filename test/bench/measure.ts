import autocannon from 'autocannon';
import { Client } from 'undici';

/** One HTTP request to measure. */
export interface Target {
  url: string;
  method?: 'GET' | 'POST';
  headers?: Record<string, string>;
  body?: string;
  /** A body of its own for each request of `medianLatency`. */
  bodyOf?: (request: number) => string;
}

const CONCURRENCY = 10;
const WARM_UP_SHARE = 0.4;
const WARM_UP_REQUESTS = 20;
/** In ms. autocannon ends at such a step only; its own second would double the time of a short round. */
const LOAD_STEP_MS = 100;

export function median(values: number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle];
  if (upper === undefined) throw new Error('no values to take the median of');
  return sorted.length % 2 ? upper : (upper + (sorted[middle - 1] ?? upper)) / 2;
}

/** Measures both sides alternately, so that a busy moment of the machine affects both, and returns the median of each. */
export async function alternate(
  rounds: number,
  ours: () => Promise<number>,
  baseline: () => Promise<number>,
): Promise<{ ours: number; baseline: number }> {
  const [oursMedian = 0, baselineMedian = 0] = await inTurn(rounds, [ours, baseline]);
  return { ours: oursMedian, baseline: baselineMedian };
}

/** As `alternate`, for any number of sides. */
export async function inTurn(rounds: number, sides: ReadonlyArray<() => Promise<number>>): Promise<number[]> {
  const values = sides.map((): number[] => []);
  for (let round = 0; round < rounds; round++)
    for (const [index, side] of sides.entries()) values[index]?.push(await side());
  return values.map(median);
}

/** Requests per second. Any response other than 2xx invalidates the figure and throws. */
export async function throughput(target: Target, seconds: number, callers = CONCURRENCY): Promise<number> {
  await load(target, seconds * WARM_UP_SHARE, callers);
  const result = await load(target, seconds, callers);
  return result.requests.total / result.duration;
}

/** Median time of sequential requests over one connection, in ms. */
export async function medianLatency(target: Target, requests: number): Promise<number> {
  return median(await timesOf(target, requests));
}

/** Times of that many sequential requests over one connection, in ms. */
export function timesOf(target: Target, requests: number): Promise<number[]> {
  let sent = 0;
  return latencies(target, () => sent++ < requests);
}

/** The time that a share of the requests does not exceed, such as 0.99. */
export function quantile(times: readonly number[], share: number): number {
  const sorted = [...times].sort((a, b) => a - b);
  return sorted[Math.ceil(sorted.length * share) - 1] ?? 0;
}

/** Times of sequential requests over one connection, in ms, while `goesOn`. */
export async function latencies(target: Target, goesOn: () => boolean): Promise<number[]> {
  const { origin } = new URL(target.url);
  const client = new Client(origin);
  const bodyOf = target.bodyOf ?? (() => target.body);
  const timeNext = (request: number): Promise<number> => timeOne(client, { ...target, body: bodyOf(request) });
  try {
    for (let request = 0; request < WARM_UP_REQUESTS; request++) await timeNext(request);
    const times: number[] = [];
    while (goesOn()) times.push(await timeNext(WARM_UP_REQUESTS + times.length));
    return times;
  } finally {
    await client.close();
  }
}

async function load(target: Target, seconds: number, callers: number): Promise<autocannon.Result> {
  const { url, method = 'GET', headers = {}, body } = target;
  const result = await autocannon({
    url,
    method,
    headers,
    ...(body === undefined ? {} : { body }),
    connections: callers,
    duration: seconds,
    sampleInt: LOAD_STEP_MS,
  });
  const failed = result.non2xx + result.errors + result.timeouts;
  if (failed > 0 || result.requests.total === 0)
    throw new Error(`${failed} of ${result.requests.total} answers of ${url} failed`);
  return result;
}

async function timeOne(
  client: Client,
  { url, method = 'GET', headers = {}, body }: Omit<Target, 'body'> & { body: string | undefined },
): Promise<number> {
  const { pathname, search } = new URL(url);
  const startedAt = performance.now();
  const response = await client.request({ path: pathname + search, method, headers, body: body ?? null });
  const text = await response.body.text();
  const elapsedMs = performance.now() - startedAt;
  // A refused call of a tool has the status of an answered one.
  if (response.statusCode >= 300 || text.includes('"isError":true'))
    throw new Error(`${url} answered ${response.statusCode}: ${text.slice(0, 500)}`);
  return elapsedMs;
}
