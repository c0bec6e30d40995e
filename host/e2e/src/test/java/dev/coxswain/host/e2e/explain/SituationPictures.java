// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.e2e.explain;

import dev.coxswain.host.e2e.browser.Browser;
import dev.coxswain.host.e2e.browser.Chromium;
import dev.coxswain.reconcile.Request;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What the dashboard shows of an object in each situation in which it is not reconciled, beside what
 * the API says. Made only by {@code .ci/pictures}; a page of the documentation has all of them.
 *
 * <p>Thread rule: one thread.
 */
final class SituationPictures implements AutoCloseable {

  private static final Path DOCS = Path.of("..", "..", "docs").toAbsolutePath().normalize();
  private static final Path FOLDER = DOCS.resolve("images").resolve("why");
  private static final Path PAGE = DOCS.resolve("evidence").resolve("why-not-reconciled.md");
  private static final boolean WANTED = Boolean.getBoolean("coxswain.pictures");

  private static final String END =
      "return Math.ceil(Math.max(...[...document.querySelectorAll('main *')]"
          + ".map(one => one.getBoundingClientRect().bottom))) + 24;";

  private static final List<String> TITLES =
      List.of(
          "It is healthy",
          "It is healthy, and thousands of others have succeeded since",
          "It never existed",
          "The selector excludes it",
          "A predicate excludes it",
          "An operator has dropped it",
          "It has failed terminally",
          "Its controller is paused",
          "It backs off",
          "It waits for a token",
          "Its owner is frozen, and its Lease runs",
          "Its slot has just been taken over",
          "Its slot has moved",
          "It was deleted",
          "Its attempt runs beyond its limit",
          "All attempts of its controller hang",
          "A kind of its controller is not installed",
          "A webhook refuses the write of its controller",
          "The plug-in of its controller was removed",
          "Another replica is dead",
          "The API server is down");

  private static final int WIDTH = 1120;
  private static final int MOST_HEIGHT = 900;

  private final Path folder;
  private final String token;
  private final Map<Integer, String> texts = new TreeMap<>();
  private @Nullable Browser browser;

  /**
   * Creates it; the browser starts with the first picture.
   *
   * @param folder the folder of its files
   */
  SituationPictures(Path folder, String token) {
    this.folder = folder;
    this.token = token;
  }

  /**
   * Takes the picture of an object.
   *
   * @param admin the replica that serves the page
   * @param controller the controller that is asked
   * @param reason the reason of the API
   * @param message its sentence, which the page must show
   */
  void object(
      int situation, String admin, String controller, Request object, String reason, String message)
      throws IOException {
    take(
        situation,
        admin,
        "objects?namespace="
            + object.namespace()
            + "&name="
            + object.name()
            + "&controller="
            + controller,
        "`" + reason + "`: " + message,
        message.substring(0, Math.min(12, message.length())));
  }

  /**
   * Takes the picture of a page.
   *
   * @param address the part of the address after #/
   * @param text what is written beside it
   * @param part what the page shows when it is complete
   */
  void take(int situation, String admin, String address, String text, String part)
      throws IOException {
    System.out.println("situation " + situation + ": " + text);
    if (!WANTED || texts.containsKey(situation)) {
      return;
    }
    try {
      picture(situation, admin, address, part);
      texts.put(situation, text);
    } catch (IOException e) {
      throw e;
    } catch (Exception e) {
      throw new IOException(e); // of the browser, inside of conditions that are waited for
    }
  }

  private void picture(int situation, String admin, String address, String part) throws Exception {
    Browser window = browser;
    if (window == null) {
      Files.createDirectories(FOLDER);
      window = Browser.start(Chromium.installed(), folder);
      browser = window;
    }
    window.size(WIDTH, MOST_HEIGHT);
    window.open(admin + "/dashboard/#token=" + token);
    window.await("the navigation", () -> opened().count("nav a") > 1);
    window.script("location.hash = '#/" + address + "';");
    window.awaitText("main", part);
    window.size(WIDTH, Math.min(MOST_HEIGHT, window.script(END).asInt()));
    window.screenshot(FOLDER.resolve(situation + ".png"));
  }

  private Browser opened() {
    Browser window = browser;
    if (window == null) {
      throw new IllegalStateException("no browser was started");
    }
    return window;
  }

  /** Writes the page of the documentation. */
  private void write() throws IOException {
    StringBuilder page =
        new StringBuilder(
            """
            <!-- SPDX-License-Identifier: Apache-2.0 -->
            # Why is this object not reconciled?

            What three replicas say of one object in each of 21 situations: the sentence of `explain`, and the object's page in the dashboard.
            `ThreeReplicasIT` brings each of them about with real processes and checks reason and sentence in every build; `.ci/pictures` makes
            this page again.
            """);
    texts.forEach((situation, text) ->
        page.append(
            """

            ## %1$d. %2$s

            %3$s

            ![The page in situation %1$d](../images/why/%1$d.png)
            """
                .formatted(situation, TITLES.get(situation - 1), text)));
    Files.writeString(PAGE, page);
  }

  @Override
  public void close() throws Exception {
    Browser window = browser;
    if (window != null) {
      window.close();
      write();
    }
  }
}
