import classes from './WebhookPanel.module.css';

export function HeaderList({ headers }: { headers: Record<string, string> }) {
  const entries = Object.entries(headers);
  if (entries.length === 0) return <p className="faint">None</p>;
  return (
    <dl className={`mono ${classes['headers']}`}>
      {entries.map(([name, value]) => (
        <div className="grid gap-12" key={name}>
          <dt className="soft breaks">{name}</dt>
          <dd className="breaks">{value}</dd>
        </div>
      ))}
    </dl>
  );
}
