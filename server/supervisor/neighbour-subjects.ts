/** What the processes of one machine say to each other. */
export const SUBJECTS = {
  /** To edges: something they may have remembered is no longer so. */
  edgeChange: 'edge-change',
  /** To the housekeeper: a batch of what an edge has counted. */
  usage: 'usage',
  /** To the housekeeper: an encoded copy that an edge missed. */
  lostCopy: 'lost-copy',
  /** To everybody: their figures. */
  metrics: 'metrics',
} as const;
