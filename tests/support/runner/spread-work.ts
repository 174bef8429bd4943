import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Projects with a server or a browser in each file. */
const LONG = ['journeys', 'system'];
/** Files of the other projects that take half a minute: begun last, one of them would run alone at the end. */
const SLOW = /\/(account-months|parsers|large-deploys|backup|expressions)\.test\.ts$/;

/**
 * The order of a whole run. The long files come first, with browsers evenly among servers, because one kind
 * keeps the processor busy while the other waits; the short ones fill the rest, the slowest of them first, so
 * that no core is idle at the end. A worker keeps its loaded modules as long as the next file belongs to the same project; there are
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
    const others = sorted.filter((file) => !isLong(file));
    const isSlow = ({ moduleId }: TestSpecification) => SLOW.test(moduleId);
    return [
      ...placed.map(({ file }) => file),
      ...others.filter(isSlow),
      ...others.filter((file) => !isSlow(file)),
    ];
  }
}
