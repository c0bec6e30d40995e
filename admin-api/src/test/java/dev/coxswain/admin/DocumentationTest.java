// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.retry.BudgetSnapshot;
import dev.coxswain.view.Phase;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The guide and the reference describe what the API does. */
class DocumentationTest {

  private static Path base() {
    return Path.of(System.getProperty("basedir", "."));
  }

  private static String guide() throws IOException {
    return Files.readString(base().resolve("../docs/guides/admin-api.md"));
  }

  private static String reference() throws IOException {
    return Files.readString(base().resolve("../docs/reference/admin-api.md"));
  }

  @Test
  void everyCurlOfTheGuide_works() throws IOException {
    Matcher curl =
        Pattern.compile(
                "curl -s( -X (?<method>[A-Z]+))? -H \"Authorization: Bearer \\$ADMIN_TOKEN\""
                    + "(?:\\s+\\\\\n)?\\s+'?localhost:8090(?<path>[^' \\n]+)'?"
                    + "(?<rest>.*?)(?=\\n\\n|\\n    curl)",
                Pattern.DOTALL)
            .matcher(guide());
    int found = 0;
    try (Api api = new Api();
        FakeController checkout = new FakeController("checkout")) {
      api.directory.handles.put("checkout", checkout);
      api.directory.budgets.add(
          new BudgetSnapshot("default", "hazelcast", 10, 100, 1, 0, 0, 0, List.of()));
      api.directory.overrides = new NothingIsSet();
      api.directory.slots = new FakeSlots().spread(2).at(0);
      checkout.put("payments", "checkout-7", Phase.DELAYED, 9, "no answer");
      String token = "";
      while (curl.find()) {
        found++;
        checkout.put("payments", "checkout-8", Phase.DELAYED, 9, "no answer"); // flushed by some
        String rest =
            curl.group("rest")
                .replace("ct_...", token)
                .replace("5f2a91b0c3d4", FakeItems.pattern("no answer").id());
        Matcher data = Pattern.compile("-d '([^']+)'").matcher(rest);
        Matcher accept = Pattern.compile("-H 'Accept: ([^']+)'").matcher(rest);
        var answer =
            curl.group("method") == null
                ? api.send(
                    api.request(curl.group("path"))
                        .header("Accept", accept.find() ? accept.group(1) : "*/*"))
                : api.change(
                    curl.group("method"), curl.group("path"), data.find() ? data.group(1) : "");
        assertThat(answer.status())
            .as(curl.group() + "\n" + answer.http().body())
            .isIn(200, 201, 202);
        String preview = answer.http().body();
        if (preview.contains("confirmToken")) {
          token = answer.ok(200).path("confirmToken").asText();
        }
      }
    }
    assertThat(found).isEqualTo(21);
  }

  @Test
  void documentedProblemTypes_areExactlyThoseInTheCode() throws IOException {
    Set<String> inCode = new TreeSet<>();
    Pattern problem =
        Pattern.compile(
            "\\b(?:Problem\\s*\\.(?:of|invalid|tooMany|unavailable)|return (?:of|unavailable)|conflict)\\(\\s*(?:(?:[0-9]+|status),\\s*)?\"([a-z0-9-]+)\"");
    try (Stream<Path> files = Files.walk(base().resolve("src/main/java/dev/coxswain/admin"))) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        problem.matcher(Files.readString(file)).results().forEach(m -> inCode.add(m.group(1)));
      }
    }
    Set<String> documented = new TreeSet<>();
    Pattern.compile("^\\| [0-9]{3}[^|]*\\|([^|]+)\\|", Pattern.MULTILINE)
        .matcher(reference())
        .results()
        .forEach(row ->
            Pattern.compile("`([a-z0-9-]+)`")
                .matcher(row.group(1))
                .results()
                .forEach(m -> documented.add(m.group(1))));
    assertThat(documented).isEqualTo(inCode);
  }
}
