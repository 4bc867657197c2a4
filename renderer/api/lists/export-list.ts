import type { ListExportOptions } from './read-export.ts';

/** Every row of the filter as a file. The code that writes it is loaded with the first export. */
export const exportList = async (options: ListExportOptions): Promise<Blob> =>
  (await import('./read-export.ts')).readExport(options);
