import { JsonTree } from '../../components/JsonTree.tsx';
import classes from './FunctionPage.module.css';

export function SchemaTab({ schema, what }: { schema: Record<string, unknown> | null; what: 'input' | 'output' }) {
  return (
    <div className={classes['pad']}>
      {schema ? (
        <JsonTree value={schema} label={`${what} schema`} maxHeight={640} />
      ) : (
        <p className="faint">The function declares no {what}.</p>
      )}
    </div>
  );
}
