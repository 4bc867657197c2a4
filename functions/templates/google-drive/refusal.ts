import type { HttpError } from 'homeport';

/** Google Drive's explanation of a refused request. */
export interface Refusal {
  status: number;
  /** For example `notFound`, `insufficientFilePermissions`, `exportSizeLimitExceeded`. */
  reason: string | undefined;
  message: string;
}

interface GoogleErrors {
  error?: { message?: string; errors?: Array<{ reason?: string }> };
}

/** Statuses of refusals that explain the request. Errors about limits, outages and lost access are thrown unchanged. */
const EXPLAINED = [400, 404, 410];
/** Reasons that are about the file, among those with status 403, which is also used for limits. */
const FORBIDDEN = ['insufficientFilePermissions', 'exportSizeLimitExceeded', 'cannotExportFile', 'fileNotDownloadable'];

/** https://developers.google.com/workspace/drive/api/guides/handle-errors */
export function readRefusal(error: unknown): Refusal | undefined {
  if (!(error instanceof Error) || !('response' in error)) return undefined;
  const { response } = error as HttpError<GoogleErrors>;
  if (!response) return undefined;
  const { error: said } = response.data;
  const reason = said?.errors?.[0]?.reason;
  const isExplained =
    EXPLAINED.includes(response.status) || (response.status === 403 && FORBIDDEN.includes(`${reason}`));
  return isExplained ? { status: response.status, reason, message: said?.message ?? error.message } : undefined;
}
