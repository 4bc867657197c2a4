interface Owned {
  integrationKey: string;
  integrationName: string;
}

/** The integration of a function, whose name others may have too; its ID where integrations share their name. */
export function OwnerName({ row, rows }: { row: Owned; rows: readonly Owned[] }) {
  const { integrationKey, integrationName } = row;
  const isShared = rows.some((one) => one.integrationName === integrationName && one.integrationKey !== integrationKey);
  return (
    <span className="faint cut" title={integrationKey}>
      {isShared ? integrationKey : integrationName}
    </span>
  );
}
