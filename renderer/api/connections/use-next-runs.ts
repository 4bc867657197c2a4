import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { describeError } from '../../lib/api-error.ts';
import { useEnv } from '../use-env.ts';
import { type ConnectionRef, nextRunsQueryOptions } from './connections-queries.ts';

/** Milliseconds of the debounce. */
const TYPING_MS = 200;

/** When a sync would run next with a frequency that is being typed, or why it cannot; undefined meanwhile. */
export function useNextRuns(
  connection: ConnectionRef,
  sync: { name: string; variant: string },
  frequency: string,
): { times: string[] } | { problem: string } | undefined {
  const env = useEnv();
  const [typed] = useDebouncedValue(frequency, TYPING_MS);
  const { data: times, error } = useQuery(nextRunsQueryOptions(env, connection, sync, typed));
  if (typed !== frequency) return undefined;
  if (error) return { problem: describeError(error).message };
  return times && { times };
}
