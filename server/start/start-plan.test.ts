import { describe, expect, it } from 'vitest';
import { loadConfig } from '../config/config.ts';
import { planStart } from './start-plan.ts';

const processesOf = (environment: Record<string, string>) =>
  planStart(loadConfig({ EDGE_PROCESSES: '2', ...environment })).processes.map(
    ({ name, parts }) => `${name}: ${parts.join(' ')}`,
  );

describe('the processes of a machine', () => {
  it('are one for each role plus the edges, and one of them writes for the edges', () => {
    expect(processesOf({})).toEqual([
      'console: console',
      'jobs: jobs housekeeper',
      's3: s3',
      'dns: dns',
      'edge-1: edge',
      'edge-2: edge',
    ]);
    expect(processesOf({ ROLES: 'edge,console' })).toEqual([
      'console: console housekeeper',
      'edge-1: edge',
      'edge-2: edge',
    ]);
  });

  it('include one more when there are only edges, which write nothing', () => {
    expect(processesOf({ ROLES: 'edge', EDGE_PROCESSES: '1' })).toEqual([
      'housekeeper: housekeeper',
      'edge-1: edge',
    ]);
  });
});
