import { useQuery } from '@tanstack/react-query';
import { ApiError } from './api-error.ts';
import type { OpenApiDocument } from './contract.ts';
import { keys } from './keys.ts';

/** The description of the public API; it changes with the program only. */
export function useApiDocument() {
  return useQuery({
    queryKey: keys.apiDocument,
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async ({ signal }) => {
      const response = await fetch('/openapi.json', { signal });
      if (!response.ok)
        throw new ApiError('unreachable', 'The description of the API cannot be read.', response.status);
      return (await response.json()) as OpenApiDocument;
    },
  });
}
