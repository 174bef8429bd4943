import { describe, expect, it } from 'vitest';
import { mergeFigures } from './collect-metrics.ts';

describe('the metrics of several processes', () => {
  it('are merged, each metric described once', () => {
    const of = (name: string) => `# HELP a A.\n# TYPE a gauge\na{process="${name}"} 1\n`;
    const merged = mergeFigures([of('x'), `${of('y')}\n# HELP b B.\n# TYPE b counter\nb{process="y"} 2\n`]);
    expect(merged).toBe(
      '# HELP a A.\n# TYPE a gauge\na{process="x"} 1\na{process="y"} 1\n\n# HELP b B.\n# TYPE b counter\nb{process="y"} 2\n',
    );
  });
});
