import { useUrlState } from '../page/use-url-state.ts';

/** Addresses of operations above the open side panel, which is shown again when they close. */
export function useOperationLink(): (operationId: string, tab?: string) => string {
  const url = useUrlState();
  return (operationId, tab) => url.search({ over: operationId, overTab: tab });
}
