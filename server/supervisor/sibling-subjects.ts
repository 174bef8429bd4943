/** The messages between processes of one machine. */
export const SUBJECTS = {
  /** To edges: something they may have cached has changed. */
  edgeChange: 'edge-change',
  /** To the housekeeper: a batch of what an edge has counted. */
  usage: 'usage',
  /** To the housekeeper: an encoded copy that an edge could not find. */
  lostCopy: 'lost-copy',
  /** To all: a request for their metrics. */
  metrics: 'metrics',
  /** To all: a request for the readiness of their roles. */
  roles: 'roles',
} as const;
