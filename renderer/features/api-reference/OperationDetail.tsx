import type { OpenApiDocument } from '../../api/contract.ts';
import { CopyButton } from '../../components/CopyButton.tsx';
import classes from './ApiReference.module.css';
import { curlCommand } from './curl-command.ts';
import { membersOf, type ReferenceEntry, responsesOf } from './reference-groups.ts';

export function OperationDetail({ document, entry }: { document: OpenApiDocument; entry: ReferenceEntry }) {
  const { method, path, operation } = entry;
  const members = membersOf(operation);
  const command = curlCommand(document.servers[0]?.url ?? '', method, path, operation);
  return (
    <div className="stack gap-12 line-above" style={{ padding: 12 }}>
      {operation.description && <p>{operation.description.replaceAll('`', '')}</p>}
      <div className="row at-top frame sunken" style={{ padding: '8px 8px 8px 12px' }}>
        <pre className="grow scroll">{command}</pre>
        <CopyButton value={command} label="Copy command" />
      </div>
      {members.length > 0 && (
        <table className={`table ${classes['table']}`}>
          <caption className="small faint">Parameters</caption>
          <tbody>
            {members.map(({ name, location, isRequired, type }) => (
              <tr key={`${location} ${name}`}>
                <th scope="row">
                  <code>{name}</code>
                </th>
                <td>{location}</td>
                <td>{isRequired ? 'required' : ''}</td>
                <td className="soft">{type}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      <table className={`table ${classes['table']}`}>
        <caption className="small faint">Responses</caption>
        <tbody>
          {responsesOf(document, operation).map(({ status, text, codes }) => (
            <tr key={status}>
              <th scope="row">
                <code>{status}</code>
              </th>
              <td>
                {codes.length === 0
                  ? text
                  : codes.map(({ code, when }) => (
                      <div key={code}>
                        <code>{code}</code> <span className="soft">{when}</span>
                      </div>
                    ))}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
