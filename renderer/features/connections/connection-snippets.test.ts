import { expect, it } from 'vitest';
import { credentialSnippets, proxySnippets } from './connection-snippets.ts';

const TARGET = { apiUrl: 'http://127.0.0.1:3003', integrationKey: 'crm', connectionId: "o'hara/1" };
const codeIn = (language: string, all = proxySnippets(TARGET)): string =>
  all.find((one) => one.language === language)?.code ?? '';

it('writes ids that hold quotes so that each language reads them back', () => {
  expect(codeIn('curl')).toContain("-H 'Connection-Id: o'\\''hara/1'");
  expect(codeIn('Node')).toContain("connectionId: 'o\\'hara/1'");
  expect(codeIn('Python')).toContain("'Connection-Id': 'o\\'hara/1'");
});

it('names the key by its variable, never by its value', () => {
  for (const { code } of [...proxySnippets(TARGET), ...credentialSnippets(TARGET)])
    expect(code).toContain('HOMEPORT_SECRET_KEY');
});

it('encodes the id in an address', () => {
  const target = { ...TARGET, connectionId: 'a/b c' };
  expect(codeIn('curl', credentialSnippets(target))).toContain('/connections/a%2Fb%20c?provider_config_key=crm');
});
