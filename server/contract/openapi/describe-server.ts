import { healthAnswer, openApiAnswer } from '../api/answers/general-answers.ts';
import type { RouteDescription } from './route-description.ts';

export const SERVER_ROUTES = {
  'GET /health': {
    id: 'getHealth',
    tag: 'Server',
    summary: 'Ask whether the server is up',
    access: 'public',
    answers: { 200: healthAnswer },
  },
  'GET /ready': {
    id: 'getReady',
    tag: 'Server',
    summary: 'Ask whether the server is ready',
    access: 'public',
    answers: { 200: healthAnswer },
  },
  'GET /openapi.json': {
    id: 'getOpenApi',
    tag: 'Server',
    summary: 'Get this document',
    access: 'public',
    answers: { 200: openApiAnswer },
  },
  'POST /cli/telemetry': {
    id: 'ignoreTelemetry',
    tag: 'Server',
    summary: 'Accept reports of command-line tools',
    details: 'Nothing of it is kept.',
    access: 'public',
    answers: { 204: null },
  },
} as const satisfies Record<string, RouteDescription>;
