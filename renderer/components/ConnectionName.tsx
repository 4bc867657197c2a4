export interface ConnectionNameProps {
  integration: string;
  connectionId: string;
  displayName: string | null;
}

/** "HubSpot, Cobalt Cycles" with the id beside it: a name may be anybody's choice. */
export function ConnectionName({ integration, connectionId, displayName }: ConnectionNameProps) {
  return (
    <>
      <span>{displayName ? `${integration}, ${displayName}` : integration}</span>
      <code className="faint">{connectionId}</code>
    </>
  );
}
