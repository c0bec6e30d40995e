// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.e2e.browser;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.coxswain.testing.process.FreePorts;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A headless Chromium, driven through its own driver by the WebDriver protocol of the W3C. For one
 * thread. Elements are named by CSS selectors; of several the first is meant.
 */
public final class Browser implements AutoCloseable {

  public static final String TAB = "\uE004";
  public static final String ENTER = "\uE007";
  public static final String ESCAPE = "\uE00C";
  public static final String END = "\uE010";

  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Duration LIMIT = Duration.ofSeconds(150);

  /**
   * The driver gives up on a script after 30 s otherwise, which the accessibility check may take.
   */
  private static final long SCRIPT_MILLIS = 120_000;

  /** The longest wait inside a page: afterwards the browser is asked for its page again, which may be another one by then. */
  private static final long LOOK_MILLIS = 5_000;

  private static final String ELEMENT = "element-6066-11e4-a52e-4f735466cecf";
  private static final Pattern STARTED = Pattern.compile("successfully on port (\\d+)");

  private final Process driver;
  private final HttpClient http = HttpClient.newHttpClient();
  private final String session;

  private Browser(Process driver, String session) {
    this.driver = driver;
    this.session = session;
  }

  /** Starts the driver and a browser, whose files are in a folder of the test. */
  public static Browser start(Chromium chromium, Path folder) throws Exception {
    Path output = Files.createTempFile(folder, "chromedriver", ".txt");
    // With port 0 it ends when the port that it was given for IPv6 is another process's for IPv4.
    ProcessBuilder builder =
        new ProcessBuilder(chromium.driver().toString(), "--port=" + FreePorts.one())
            .redirectErrorStream(true)
            .redirectOutput(output.toFile());
    builder.environment().put("HOME", folder.toString());
    builder.environment().put("TMPDIR", folder.toString());
    Process driver = builder.start();
    try (HttpClient http = HttpClient.newHttpClient()) {
      String root = "http://127.0.0.1:" + port(driver, output) + "/session";
      Map<String, Object> options =
          Map.of(
              "binary",
              chromium.browser().toString(),
              "args",
              List.of(
                  "--headless=new",
                  "--no-sandbox", // root may not have one
                  "--disable-gpu",
                  "--disable-dev-shm-usage",
                  "--disable-background-networking",
                  "--disable-component-update",
                  "--disable-extensions",
                  "--disable-sync",
                  "--disable-breakpad",
                  // Pages that were left, and one that may be wanted next, would have processes,
                  // too.
                  "--disable-features=BackForwardCache,SpareRendererForSitePerProcess,Translate,OptimizationHints",
                  "--no-first-run",
                  "--window-size=1280,860",
                  "--user-data-dir=" + folder.resolve("profile")));
      JsonNode made =
          send(
              http,
              "POST",
              root,
              Map.of(
                  "capabilities",
                  Map.of(
                      "alwaysMatch",
                      Map.of(
                          "browserName",
                          "chrome",
                          "timeouts",
                          Map.of("script", SCRIPT_MILLIS, "pageLoad", SCRIPT_MILLIS),
                          "goog:chromeOptions",
                          options,
                          "goog:loggingPrefs",
                          Map.of("browser", "ALL")))));
      return new Browser(driver, root + "/" + made.get("sessionId").asText());
    } catch (Exception | AssertionError e) {
      end(driver);
      throw e;
    }
  }

  private static String port(Process driver, Path output) throws Exception {
    long deadline = System.nanoTime() + LIMIT.toNanos();
    while (true) {
      String log = Files.readString(output);
      Matcher started = STARTED.matcher(log);
      if (started.find()) {
        return started.group(1);
      }
      assertThat(driver.isAlive()).as("the driver ended: " + log).isTrue();
      assertThat(System.nanoTime()).as("the driver did not start: " + log).isLessThan(deadline);
      driver.waitFor(20, TimeUnit.MILLISECONDS);
    }
  }

  private static JsonNode send(HttpClient http, String method, String url, Object body)
      throws IOException, InterruptedException {
    HttpResponse<String> answer =
        http.send(
            HttpRequest.newBuilder(URI.create(url))
                .timeout(LIMIT)
                .method(
                    method,
                    method.equals("POST")
                        ? BodyPublishers.ofString(JSON.writeValueAsString(body))
                        : BodyPublishers.noBody())
                .header("Content-Type", "application/json")
                .build(),
            BodyHandlers.ofString());
    JsonNode value = JSON.readTree(answer.body()).path("value");
    if (answer.statusCode() != 200) {
      throw new IOException(value.path("error").asText() + ": " + value.path("message").asText());
    }
    return value;
  }

  private JsonNode post(String path, Object body) throws IOException, InterruptedException {
    return send(http, "POST", session + path, body);
  }

  private JsonNode get(String path) throws IOException, InterruptedException {
    return send(http, "GET", session + path, "");
  }

  private void devtools(String command, Map<String, ?> parameters) throws Exception {
    post("/goog/cdp/execute", Map.of("cmd", command, "params", parameters));
  }

  /** Goes to an address; it is loaded anew also when only the part after # differs. */
  public void open(String url) throws Exception {
    if (address().replaceFirst("#.*", "").equals(url.replaceFirst("#.*", ""))) {
      // A page between would take a process of its own, and this one another.
      script("history.replaceState(null, '', " + quoted(url) + ");");
      post("/refresh", Map.of());
    } else {
      post("/url", Map.of("url", url));
    }
  }

  public String address() throws Exception {
    return get("/url").asText();
  }

  public String title() throws Exception {
    return get("/title").asText();
  }

  /** Runs a script in the page and returns what it returns; a promise is waited for. */
  public JsonNode script(String body) throws Exception {
    return post(
        "/execute/sync",
        Map.of("script", "return (async () => {" + body + "})()", "args", List.of()));
  }

  /** Runs a script as it is. */
  public void inject(String source) throws Exception {
    post("/execute/sync", Map.of("script", source, "args", List.of()));
  }

  /** Returns the text of an element as it is shown; empty when there is none. */
  public String text(String css) throws Exception {
    return script("return document.querySelector(" + quoted(css) + ")?.innerText ?? '';").asText();
  }

  public int count(String css) throws Exception {
    return script("return document.querySelectorAll(" + quoted(css) + ").length;").asInt();
  }

  private static String quoted(String text) throws IOException {
    return JSON.writeValueAsString(text);
  }

  /** Waits for an element and clicks it with a pointer, as a user would. */
  public void click(String css) throws Exception {
    act("to click " + css, () -> post(element(css) + "/click", Map.of()));
  }

  /** Clicks the button of a dialog or page that has this text. */
  public void press(String label) throws Exception {
    act(
        "to press \"" + label + "\"",
        () -> {
          script(
              "for (const mark of document.querySelectorAll('[data-found]')) delete"
                  + " mark.dataset.found; const found = [...document.querySelectorAll('button,"
                  + " a')].findLast(one => one.innerText.trim() === "
                  + quoted(label)
                  + " && !one.disabled); if (found) found.dataset.found = '1';");
          return post(element("[data-found]") + "/click", Map.of());
        });
  }

  /** Types into a field, in the place of what it holds. */
  public void fill(String css, String value) throws Exception {
    act("to fill " + css, () -> post(element(css) + "/clear", Map.of()));
    act("to fill " + css, () -> post(element(css) + "/value", Map.of("text", value)));
  }

  public void choose(String css, String value) throws Exception {
    act("to choose from " + css, () -> element(css));
    script(
        "const list = document.querySelector("
            + quoted(css)
            + "); list.value = "
            + quoted(value)
            + "; list.dispatchEvent(new Event('change', {bubbles: true}));");
  }

  /** Presses keys, wherever the focus is. */
  public void keys(String... keys) throws Exception {
    List<Map<String, String>> actions = new ArrayList<>();
    for (String key : keys) {
      actions.add(Map.of("type", "keyDown", "value", key));
      actions.add(Map.of("type", "keyUp", "value", key));
    }
    post(
        "/actions",
        Map.of("actions", List.of(Map.of("type", "key", "id", "keys", "actions", actions))));
  }

  private String element(String css) throws IOException, InterruptedException {
    JsonNode found = post("/element", Map.of("using", "css selector", "value", css));
    return "/element/" + found.get(ELEMENT).asText();
  }

  /** A page that redraws itself may take an element away between two calls. */
  private void act(String what, Callable<?> action) throws Exception {
    IOException[] last = {new IOException("never tried")};
    await(
        () -> what + ", " + last[0].getMessage(),
        () -> {
          try {
            action.call();
            return true;
          } catch (IOException e) {
            last[0] = e;
            return false;
          }
        });
  }

  public void await(String what, Callable<Boolean> condition) throws Exception {
    await(() -> what, condition);
  }

  private void await(Callable<String> what, Callable<Boolean> condition) throws Exception {
    long deadline = System.nanoTime() + LIMIT.toNanos();
    while (!condition.call()) {
      if (System.nanoTime() > deadline) {
        throw new AssertionError(
            "waited in vain for " + what.call() + "; the page shows:\n" + text("body"));
      }
      TimeUnit.MILLISECONDS.sleep(50); // between looks at another process, which cannot call back
    }
  }

  public void awaitText(String css, String part) throws Exception {
    awaitInPage(
        "\"" + part + "\" in " + css,
        "(document.querySelector("
            + quoted(css)
            + ")?.innerText ?? '').includes("
            + quoted(part)
            + ")");
  }

  public void awaitNone(String css) throws Exception {
    awaitInPage("the end of " + css, "!document.querySelector(" + quoted(css) + ")");
  }

  /**
   * Waits for what an expression of the page says. The page looks itself: a look from outside takes four
   * processes, and there would be twenty of them a second.
   */
  private void awaitInPage(String what, String expression) throws Exception {
    String look =
        "for (const end = performance.now() + %d; !(%s); await new Promise(go => setTimeout(go, 50)))"
                .formatted(LOOK_MILLIS, expression)
            + " { if (performance.now() > end) return false; } return true;";
    act(
        what,
        () -> {
          if (!script(look).asBoolean()) {
            throw new IOException("not there");
          }
          return true;
        });
  }

  /** Lets the pages read and write the clipboard, as after a confirmation of the user. */
  public void allowClipboard() throws Exception {
    devtools(
        "Browser.grantPermissions",
        Map.of("permissions", List.of("clipboardReadWrite", "clipboardSanitizedWrite")));
  }

  public void size(int width, int height) throws Exception {
    devtools(
        "Emulation.setDeviceMetricsOverride",
        Map.of("width", width, "height", height, "deviceScaleFactor", 1, "mobile", false));
  }

  /** Shows the page as on this medium, {@code screen} or {@code print}. */
  public void medium(String medium) throws Exception {
    devtools("Emulation.setEmulatedMedia", Map.of("media", medium));
  }

  /** Sets what the system prefers: light or dark. */
  public void theme(String theme) throws Exception {
    devtools(
        "Emulation.setEmulatedMedia",
        Map.of("features", List.of(Map.of("name", "prefers-color-scheme", "value", theme))));
  }

  public void screenshot(Path file) throws Exception {
    Files.createDirectories(file.getParent());
    Files.write(file, Base64.getDecoder().decode(get("/screenshot").asText()));
  }

  /** Returns and forgets what the page has written to its console, faults of loading included. */
  public List<String> console() throws Exception {
    List<String> lines = new ArrayList<>();
    post("/se/log", Map.of("type", "browser"))
        .forEach(
            entry -> lines.add(entry.get("level").asText() + " " + entry.get("message").asText()));
    return lines;
  }

  @Override
  public void close() throws Exception {
    try {
      send(http, "DELETE", session, "");
    } catch (IOException e) {
      // It is ended below in any case.
    } finally {
      http.close();
      end(driver);
    }
  }

  private static void end(Process driver) throws InterruptedException {
    List<ProcessHandle> all = new ArrayList<>(driver.descendants().toList());
    all.add(driver.toHandle());
    all.forEach(ProcessHandle::destroyForcibly);
    driver.waitFor(LIMIT.toSeconds(), TimeUnit.SECONDS);
  }
}
