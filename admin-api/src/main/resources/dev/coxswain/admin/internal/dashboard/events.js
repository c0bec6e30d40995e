// SPDX-License-Identifier: Apache-2.0
// Reads server-sent events by fetch: an EventSource could not send the token in a header.

const MAX_EVENT = 8 * 1024 * 1024;

/**
 * Reads a stream to its end. `onEvent({type, data, id})` gets each event, `onLine()` every sign of life, comments
 * included.
 */
export async function read(body, onEvent, onLine) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  let event = blank();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) {
      return;
    }
    onLine();
    rest += value;
    let end;
    while ((end = rest.indexOf('\n')) >= 0) {
      const line = rest.slice(0, end).replace(/\r$/, '');
      rest = rest.slice(end + 1);
      if (line !== '') {
        add(event, line);
      } else {
        if (event.data !== null) {
          onEvent(event);
        }
        event = blank();
      }
    }
    if (rest.length > MAX_EVENT) {
      await reader.cancel();
      throw new Error('An event is too long.');
    }
  }
}

function blank() {
  return { type: 'message', data: null, id: null };
}

function add(event, line) {
  const colon = line.indexOf(':');
  if (colon === 0) {
    return; // a comment
  }
  const field = colon < 0 ? line : line.slice(0, colon);
  const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '');
  if (field === 'event') {
    event.type = value;
  } else if (field === 'data') {
    event.data = event.data === null ? value : event.data + '\n' + value;
  } else if (field === 'id') {
    event.id = value;
  }
}
