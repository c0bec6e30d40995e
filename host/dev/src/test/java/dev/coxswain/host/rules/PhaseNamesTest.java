// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.rules;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.coxswain.view.Phase;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * The document of the API, the dashboard and the command line have copies of the names of phases,
 * which no compiler compares with those of the engine.
 */
class PhaseNamesTest {

  private static final Path ROOT = Path.of("../..");
  private static final List<String> NAMES =
      Arrays.stream(Phase.values()).map(Phase::label).toList();

  /** A read of counts by phase, or of slots. */
  private static final Pattern COUNT = Pattern.compile("counts(?:\"\\))?\\.\\w+\\(\"(\\w+)\"\\)");

  @Test
  void theDocument_hasThePhasesOfTheEngine() throws IOException {
    JsonNode schemas = schemas();
    List<String> described = new ArrayList<>();
    schemas.at("/Phase/enum").forEach(name -> described.add(name.asText()));
    assertThat(described).isEqualTo(NAMES);
    assertThat(schemas.at("/PhaseCounts/properties").fieldNames())
        .toIterable()
        .containsExactlyElementsOf(NAMES);
  }

  @Test
  void theDashboardAndTheFiltersOfCtl_haveThePhasesOfTheEngine() throws IOException {
    assertThat(read("admin-api/src/main/resources/dev/coxswain/admin/internal/dashboard/phases.js"))
        .contains("PHASES = [" + joined("'%s'") + "]");
    assertThat(
            read("admin-api/ctl/src/main/java/dev/coxswain/ctl/internal/context/ItemSelector.java"))
        .contains("List.of(" + joined("\"%s\"") + ")", String.join(", ", NAMES) + ";");
  }

  @Test
  void whatReadsCounts_namesPhasesOfTheEngine() throws IOException {
    List<String> read = new ArrayList<>();
    for (String module : List.of("admin-api/ctl", "host/dev")) {
      try (Stream<Path> files = Files.walk(ROOT.resolve(module).resolve("src/main/java"))) {
        for (Path file : (Iterable<Path>) files.filter(Files::isRegularFile)::iterator) {
          COUNT
              .matcher(Files.readString(file))
              .results()
              .forEach(found -> read.add(found.group(1)));
        }
      }
    }
    assertThat(read).hasSizeGreaterThan(10);
    List<String> known = new ArrayList<>(NAMES);
    schemas()
        .at("/SlotList/properties/counts/properties")
        .fieldNames()
        .forEachRemaining(known::add);
    assertThat(known).containsAll(read);
  }

  private static JsonNode schemas() throws IOException {
    return new ObjectMapper()
        .readTree(read("admin-api/src/main/resources/dev/coxswain/admin/openapi.json"))
        .at("/components/schemas");
  }

  private static String joined(String format) {
    return NAMES.stream().map(format::formatted).collect(Collectors.joining(", "));
  }

  private static String read(String file) throws IOException {
    return Files.readString(ROOT.resolve(file));
  }
}
