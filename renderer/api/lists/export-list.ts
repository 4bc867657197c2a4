import type { ExportOptions } from './read-export.ts';

/** Every row of the filter as a file; what writes it comes with the first export. */
export const exportList = async (options: ExportOptions): Promise<Blob> =>
  (await import('./read-export.ts')).readExport(options);
