import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files of the other projects that take half a minute: begun last, one of them would run alone at the end. */
const SLOW = /\/(account-months|parsers|large-deploys|backup|expressions)\.test\.ts$/;

/**
 * The order of a whole run. The long files come first, with browsers evenly among servers, because one kind
 * keeps the processor busy while the other waits; the short ones fill the rest, the slowest of them first, so
 * that no core is idle at the end. A worker keeps its loaded modules as long as the next file belongs to the same project.
 */
export class SpreadWork extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isLong = ({ project }: TestSpecification) => project.name === 'system';
    const isJourney = ({ moduleId }: TestSpecification) => moduleId.includes('/tests/journeys/');
    const kinds = Map.groupBy(sorted.filter(isLong), isJourney);
    const placed = [...kinds.values()].flatMap((own) =>
      own.map((file, index) => ({ file, place: (index + 0.5) / own.length })),
    );
    placed.sort((a, b) => a.place - b.place);
    const others = sorted.filter((file) => !isLong(file));
    const isSlow = ({ moduleId }: TestSpecification) => SLOW.test(moduleId);
    const [slow, quick] = [others.filter(isSlow), others.filter((file) => !isSlow(file))];
    return [
      ...placed.map(({ file }) => file),
      ...byProject(slow, ['sqlite', 'postgres']),
      ...byProject(quick, ['postgres', 'sqlite', 'architecture']),
    ];
  }
}

function byProject(files: readonly TestSpecification[], names: readonly string[]): TestSpecification[] {
  return names.flatMap((name) => files.filter(({ project }) => project.name === name));
}
