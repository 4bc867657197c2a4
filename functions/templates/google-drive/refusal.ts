import type { HttpError } from 'homeport';

/** What Google Drive says about a request that it does not accept. */
export interface Refusal {
  status: number;
  /** For example `notFound`, `insufficientFilePermissions`, `exportSizeLimitExceeded`. */
  reason: string | undefined;
  message: string;
}

interface GoogleErrors {
  error?: { message?: string; errors?: Array<{ reason?: string }> };
}

/** Refusals that say something about the request. Limits, outages and lost access pass through as they are. */
const EXPLAINED = [400, 404, 410];
/** Of the refusals with status 403, which has limits too, those that are about the file. */
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
