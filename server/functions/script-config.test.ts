import { expect, it } from 'vitest';
import type { DeployedFunction } from './deployments/deployed-function.ts';
import { presentOpenAiTool } from './script-config.present.ts';

it('a tool has the models that its parameters refer to', () => {
  const Kid = { type: 'object', properties: { toys: { type: 'array', items: { $ref: '#/definitions/Toy' } } } };
  const Toy = { type: 'string' };
  const Input = { type: 'object', properties: { kid: { $ref: '#/definitions/Kid' } }, required: ['kid'] };
  const toolOf = (definitions: Record<string, unknown>) =>
    presentOpenAiTool({
      name: 'act',
      definition: { type: 'action', description: '', input: 'Input', json_schema: { definitions } },
    } as unknown as DeployedFunction);

  const parameters = { ...Input, definitions: { Kid, Toy } };
  const other = { type: 'object' };
  expect(toolOf({ Input, Kid, Toy, other })).toMatchObject({ parameters });
  expect(toolOf({ Input: { ...Input, definitions: { Kid, Toy } } })).toMatchObject({ parameters });
  expect(toolOf({ Input: { $ref: '#/definitions/Real' }, Real: Input, Kid, Toy })).toMatchObject({ parameters });
});
