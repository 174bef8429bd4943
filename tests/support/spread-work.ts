import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Projects with a server or a browser in each file. */
const LONG = ['journeys', 'system'];

/**
 * The order of a whole run. The long files come first, with browsers evenly among servers, because one kind
 * keeps the processor busy while the other waits; the short ones fill the rest, so that no core is idle at
 * the end. A worker keeps its loaded modules as long as the next file belongs to the same project; there are
 * several system files between two journeys.
 */
export class SpreadWork extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const byProject = Map.groupBy(sorted, ({ project }) => project.name);
    const isLong = ({ project }: TestSpecification) => LONG.includes(project.name);
    const placed = LONG.flatMap((name) => {
      const own = byProject.get(name) ?? [];
      return own.map((file, index) => ({ file, place: (index + 0.5) / own.length }));
    });
    placed.sort((a, b) => a.place - b.place);
    return [...placed.map(({ file }) => file), ...sorted.filter((file) => !isLong(file))];
  }
}
