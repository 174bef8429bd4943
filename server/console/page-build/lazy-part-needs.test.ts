import { describe, expect, it } from 'vitest';
import { takeNeeds } from './lazy-part-needs.ts';

const NAMES =
  'const __vite__mapDeps=(i,m=__vite__mapDeps,d=(m.f||(m.f=["assets/a.js","assets/b.js","assets/c.css"])))=>i.map(i=>d[i]);\n';
const READ = 'fetch(`/assets/part-needs.json`);';

describe('the first script', () => {
  it('names what its parts need by number, and the list has the files behind each', () => {
    const parts =
      'p(()=>import(`./a.js`),__vite__mapDeps([0,2]));p(()=>import(`./d.js`),[]);p(()=>import(`./b.js`),__vite__mapDeps([1,0,2]));';
    expect(takeNeeds(`${NAMES}${READ}${parts}`)).toEqual({
      code: `${READ}p(()=>import(\`./a.js\`),0);p(()=>import(\`./d.js\`),[]);p(()=>import(\`./b.js\`),1);`,
      needs: [
        ['assets/a.js', 'assets/c.css'],
        ['assets/b.js', 'assets/a.js', 'assets/c.css'],
      ],
    });
  });

  it('is not built when Vite writes the names in another way, or when nothing reads the list', () => {
    expect(() => takeNeeds(`const deps=["assets/a.js"];${READ}`)).toThrow('unexpected form');
    expect(() => takeNeeds(`${NAMES}p()`)).toThrow('does not read');
  });
});
