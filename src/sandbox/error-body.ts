/**
 * The shapes that an error's body can have. interface.md shows none ("Errors"), so a client has to live with all
 * of these: the sandbox's own, those that other services use, and what stands in between them.
 */
import type { Answer } from './answer.ts';
import type { ErrorShape } from './behaviour-options.ts';

/** An answer as it leaves: a refusal in the shape that is asked for, anything else as it is. */
export function withErrorShape(answer: Answer, shape: ErrorShape): Answer {
  const { status, headers, refused } = answer;
  if (refused === undefined || shape === 'object') return answer;
  const { code, message } = refused;
  const as = (type: string, body: string): Answer => ({
    status,
    headers: { ...headers, 'content-type': type },
    body,
  });
  if (shape === 'flat') return as('application/json', JSON.stringify({ success: false, message }));
  if (shape === 'problem') {
    const problem = { type: 'about:blank', title: code.replaceAll('_', ' '), status, detail: message };
    return as('application/problem+json', JSON.stringify(problem));
  }
  if (shape === 'text') return as('text/plain; charset=utf-8', `${message}\n`);
  if (shape === 'html') return as('text/html; charset=utf-8', htmlPage(String(status), message));
  const { 'content-type': _none, ...others } = headers;
  return { status, headers: others, body: '' };
}

/** A small page, such as proxies and portals answer with. */
export function htmlPage(title: string, text: string): string {
  const safe = (raw: string): string =>
    raw.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  return `<!doctype html>\n<title>${safe(title)}</title>\n<h1>${safe(title)}</h1>\n<p>${safe(text)}</p>\n`;
}
