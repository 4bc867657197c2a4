import * as z from 'zod';

export const File = z.object({
  id: z.string(),
  name: z.string(),
  /** Folders have `application/vnd.google-apps.folder`. */
  mime_type: z.string(),
  description: z.string().nullable(),
  /** Null for files that others shared with the user. */
  folder_id: z.string().nullable(),
  /** Null outside of shared drives. */
  drive_id: z.string().nullable(),
  /** Null in shared drives, which own their files themselves. */
  owner_email: z.string().nullable(),
  is_shared: z.boolean(),
  /** Null for folders and shortcuts. */
  size_bytes: z.number().nullable(),
  /** Null for documents of Google's own types. */
  md5: z.string().nullable(),
  url: z.string().nullable(),
  created_at: z.string(),
  modified_at: z.string(),
});

export const Drive = z.object({
  id: z.string(),
  name: z.string(),
  is_hidden: z.boolean(),
  created_at: z.string().nullable(),
});

/** https://developers.google.com/workspace/drive/api/reference/rest/v3/files */
export interface DriveFile {
  id: string;
  name: string;
  mimeType: string;
  description?: string;
  /** At most one id. */
  parents?: string[];
  driveId?: string;
  owners?: Array<{ emailAddress?: string }>;
  shared?: boolean;
  /** A number, as text. */
  size?: string;
  md5Checksum?: string;
  webViewLink?: string;
  trashed: boolean;
  createdTime: string;
  modifiedTime: string;
}

/** Google answers only a few fields by default. These are the ones that {@link toFile} reads. */
export const FILE_FIELDS = [
  'id,name,mimeType,description,parents,driveId,owners(emailAddress),shared',
  'size,md5Checksum,webViewLink,trashed,createdTime,modifiedTime',
].join(',');

export function toFile(file: DriveFile): z.infer<typeof File> {
  return {
    id: file.id,
    name: file.name,
    mime_type: file.mimeType,
    description: file.description ?? null,
    folder_id: file.parents?.[0] ?? null,
    drive_id: file.driveId ?? null,
    owner_email: file.owners?.[0]?.emailAddress ?? null,
    is_shared: file.shared ?? false,
    size_bytes: file.size === undefined ? null : Number(file.size),
    md5: file.md5Checksum ?? null,
    url: file.webViewLink ?? null,
    created_at: file.createdTime,
    modified_at: file.modifiedTime,
  };
}
