// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.e2e.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.host.e2e.browser.Browser;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The pictures of the dashboard in the documentation. Beside each lies its outline: the words of the
 * page that do not depend on what is shown. A page whose outline differs has a picture that is out of
 * date; {@code .ci/pictures} makes all of them again.
 *
 * <p>Thread rule: one thread.
 */
final class DocumentedPictures {

  private static final Path FOLDER =
      Path.of("..", "..", "docs", "images").toAbsolutePath().normalize();

  /** Navigation, headings, tiles, columns, buttons and labels, each once, in their order. */
  private static final String OUTLINE =
      """
      const seen = new Set();
      for (const one of document.querySelectorAll(
          'nav a, h1, h2, .tile-name, thead th, button, label, dt, summary')) {
        const text = one.innerText.replace(/[↕↑↓▲▼]/g, '').replace(/\\d+/g, '#').replace(/\\s+/g, ' ').trim();
        if (text && one.getClientRects().length) seen.add(text);
      }
      return [...seen].join('\\n');
      """;

  private static final String HEIGHT =
      """
      const dialog = document.querySelector('.dialog');
      const main = document.querySelector('main');
      const ends = [...main.querySelectorAll('*')].map(one => one.getBoundingClientRect().bottom);
      return dialog ? 860 : Math.ceil(Math.max(...ends)) + 80;
      """;

  private final Browser browser;

  DocumentedPictures(Browser browser) {
    this.browser = browser;
  }

  /** Compares the page with its picture, or makes that. */
  void compare(String name) throws Exception {
    browser.await("the causes", () -> browser.count(".causes:not([hidden])") == 1);
    String outline = browser.script(OUTLINE).asText() + "\n";
    Path text = FOLDER.resolve(name + ".txt");
    if (Boolean.getBoolean("coxswain.pictures")) {
      browser.size(1280, Math.min(860, browser.script(HEIGHT).asInt()));
      browser.screenshot(FOLDER.resolve(name + ".png"));
      browser.size(1280, 860);
      Files.writeString(text, outline);
    }
    assertThat(outline)
        .as("docs/images/%s.png shows another page; .ci/pictures makes it again", name)
        .isEqualTo(read(text));
  }

  private static String read(Path file) throws IOException {
    return Files.exists(file) ? Files.readString(file) : "";
  }
}
