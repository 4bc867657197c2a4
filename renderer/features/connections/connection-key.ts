interface ConnectionName {
  integrationKey: string;
  connectionId: string;
}

/** One text that identifies a connection; a line feed occurs in neither part. */
export const connectionKey = ({ integrationKey, connectionId }: ConnectionName): string =>
  `${integrationKey}\n${connectionId}`;
