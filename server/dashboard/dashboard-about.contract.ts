import { z } from 'zod';

/** One part of the diagnostics for a helper: its title and its exact content. */
export const diagnosticsPart = z.object({ title: z.string(), content: z.record(z.string(), z.unknown()) });

export const diagnostics = z.object({ fileName: z.string(), parts: z.array(diagnosticsPart) });

export const aboutRouteShapes = {
  'GET /api/v1/diagnostics': {
    meaning:
      'Data for finding the cause of a problem: counts, sizes, versions, error codes. Contains no secret and no content.',
    response: diagnostics,
  },
};

export type Diagnostics = z.infer<typeof diagnostics>;
