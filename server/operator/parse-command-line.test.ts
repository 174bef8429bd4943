import { describe, expect, it } from 'vitest';
import { type Command, command, repeatedOption, textOption } from './command.ts';
import { helpText, parseCommandLine, UsageError } from './parse-command-line.ts';

const COMMANDS: readonly Command[] = [
  command({ name: 'stats', summary: 'Count', run: async () => 1, show: String }),
  command({
    name: 'site move',
    summary: 'Move a site',
    args: ['SITE'],
    options: { to: textOption('PLACE', 'where to', true), tag: repeatedOption('TAG', 'a tag') },
    run: async () => 1,
    show: String,
  }),
  command({ name: 'site close', summary: 'Close a site', run: async () => 1, show: String }),
];
const parse = (...argv: string[]) => parseCommandLine(argv, COMMANDS);

describe('a command line', () => {
  it('names a command with its arguments and options, in any order', () => {
    for (const argv of [
      ['site', 'move', 'blog', '--to', 'here', '--tag=a', '--tag', 'b'],
      ['site', 'move', '--tag', 'a', '--to=here', '--tag', 'b', 'blog', '--json'],
    ]) {
      const line = parse(...argv);
      if (line.kind !== 'run') throw new Error('it does not run');
      const { args, option, options } = line.input;
      expect([line.command.name, args, option('to'), options('tag')]).toEqual([
        'site move',
        ['blog'],
        'here',
        ['a', 'b'],
      ]);
      expect(line.isJson).toBe(argv.includes('--json'));
    }
    expect(parse('stats')).toMatchObject({ kind: 'run', command: { name: 'stats' }, isJson: false });
  });

  it('is refused in one sentence when it cannot be understood', () => {
    const wrong: [string[], RegExp][] = [
      [['bogus'], /^There is no command "bogus"\.$/],
      [['site'], /^There is no command "site"; "site" is followed by one of: move, close\.$/],
      [
        ['site', 'mvoe', 'x'],
        /^There is no command "site mvoe"; "site" is followed by one of: move, close\.$/,
      ],
      [['stats', 'all'], /^"stats" takes no argument\.$/],
      [['site', 'move', '--to', 'here'], /^"site move" takes SITE\.$/],
      [['site', 'move', 'blog', 'shop', '--to', 'here'], /^"site move" takes SITE\.$/],
      [['site', 'move', 'blog'], /^"site move" needs --to\.$/],
      [['site', 'move', 'blog', '--to'], /--to/],
      [['site', 'move', 'blog', '--from', 'there'], /^Unknown option '--from'\.$/],
      [['stats', '--json=yes'], /--json/],
    ];
    for (const [argv, sentence] of wrong) {
      expect(() => parse(...argv), argv.join(' ')).toThrow(UsageError);
      expect(() => parse(...argv), argv.join(' ')).toThrow(sentence);
      expect(() => parse(...argv)).not.toThrow(/\n/);
    }
  });

  it('asks for help about everything, a group of commands or one of them', () => {
    expect(help()).toContain('site move SITE --to PLACE');
    expect(help('--help')).toBe(help());
    expect(help('bogus', '--help')).toBe(help());
    const group = help('site', '--help');
    expect(group).toContain('site move SITE --to PLACE');
    expect(group).not.toContain('stats');
    expect(help('site', 'move', '-h')).toMatch(/^site move SITE --to PLACE\n[\s\S]+--tag TAG +a tag/);
  });
});

/** Returns the help that a line prints. */
function help(...argv: string[]): string {
  const line = parse(...argv);
  if (line.kind !== 'help') throw new Error('it is no request for help');
  return helpText('Portage', line);
}
