import { useUrlState } from './use-url-state.ts';

/** Addresses of operations over the side panel that is open, which stays below and is there again when they close. */
export function useOperationLink(): (operationId: string, tab?: string) => string {
  const url = useUrlState();
  return (operationId, tab) => url.search({ over: operationId, overTab: tab });
}
