// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.internal.json;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import com.google.gson.JsonPrimitive;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The text of an object yields what its parsed tree does. */
class ReceivedObjectTest {

  @Test
  void ofAnyObject_theTextYieldsTheSameAsTheTree() {
    for (int seed = 0; seed < 20_000; seed++) {
      Random random = new Random(seed);
      JsonObject tree = RandomJson.object(random, 0);
      if (random.nextInt(10) > 0) {
        tree.add("metadata", RandomJson.object(random, 1));
      }
      ReceivedObject received = ReceivedObject.of(bytes(RandomJson.text(tree, random)));

      JsonElement metadata = tree.get("metadata");
      assertThat(received.tree()).as("seed %s", seed).isEqualTo(tree);
      assertThat(received.hasMetadata())
          .as("seed %s", seed)
          .isEqualTo(metadata instanceof JsonObject);
      assertThat(received.name()).as("seed %s", seed).isEqualTo(text(metadata, "name"));
      assertThat(received.namespace()).as("seed %s", seed).isEqualTo(text(metadata, "namespace"));
      assertThat(received.uid()).as("seed %s", seed).isEqualTo(text(metadata, "uid"));
      assertThat(received.resourceVersion())
          .as("seed %s", seed)
          .isEqualTo(text(metadata, "resourceVersion"));
      assertThat(received.generation()).as("seed %s", seed).isEqualTo(number(metadata));

      if (metadata instanceof JsonObject) {
        JsonObject members = metadata.deepCopy().getAsJsonObject();
        members.remove("managedFields");
        assertThat(received.metadata()).as("seed %s", seed).isEqualTo(members);
        assertThat(parse(received.keptMetadata("g/v", "K")))
            .as("seed %s", seed)
            .isEqualTo(typed(metadataOnly(members)));
        JsonObject kept = tree.deepCopy();
        kept.add("metadata", members);
        assertThat(parse(received.kept("g/v", "K"))).as("seed %s", seed).isEqualTo(typed(kept));
      }
    }
  }

  @Test
  void someMembersOfTheMetadata_areThoseOfTheTree_alsoInTheMiddleOfAText() {
    List<String> names = List.of("labels", "name", "metadata", "a\"b", "ü\u2028", "absent");
    for (int seed = 0; seed < 20_000; seed++) {
      Random random = new Random(seed);
      JsonObject tree = RandomJson.object(random, 0);
      if (random.nextInt(10) > 0) {
        tree.add("metadata", RandomJson.object(random, 1));
      }
      Set<String> members = new HashSet<>(names);
      members.removeIf(_ -> random.nextBoolean());
      JsonObject expected = new JsonObject();
      if (tree.get("metadata") instanceof JsonObject metadata) {
        metadata
            .asMap()
            .forEach((name, value) -> {
              if (members.isEmpty() ? !name.equals("managedFields") : members.contains(name)) {
                expected.add(name, value);
              }
            });
      }
      String object = RandomJson.text(tree, random);
      String event = "{\"object\":" + object + ",\"type\":\"ADDED\"}";
      String before = "{\"type\":\"before\"}\n".repeat(random.nextInt(3));
      byte[] text = bytes(before + event + "\n{\"object\":{\"metadata\":");
      int from = bytes(before).length;
      int end = from + bytes(event).length;

      ReceivedEvent received = Objects.requireNonNull(ReceivedEvent.of(text, from, end));
      assertThat(received.object().metadata(members)).as("seed %s", seed).isEqualTo(expected);
      assertThat(received.object().tree()).as("seed %s", seed).isEqualTo(tree);
      if (!members.isEmpty()) {
        assertThat(ReceivedObject.metadata(bytes(object), members))
            .as("seed %s", seed)
            .isEqualTo(expected);
      }
    }
  }

  @Test
  void differingMembersOfTheMetadata_areThoseOfTheTrees_whateverTheirTexts() {
    Set<String> members = Set.of("labels", "name", "metadata", "a\"b", "ü\u2028", "absent");
    for (int seed = 0; seed < 20_000; seed++) {
      Random random = new Random(seed);
      JsonObject before = RandomJson.object(random, 0);
      before.add("metadata", RandomJson.object(random, 1));
      JsonObject now = random.nextBoolean() ? before.deepCopy() : RandomJson.object(random, 0);
      if (random.nextInt(10) > 0) {
        JsonObject metadata = before.getAsJsonObject("metadata").deepCopy();
        metadata.add("labels", RandomJson.value(random, 2));
        now.add("metadata", metadata);
      }
      Set<String> expected = new HashSet<>(members);
      expected.removeIf(member -> filled(before, member).equals(filled(now, member)));

      byte[] then = bytes(RandomJson.text(before, random));
      byte[] here = bytes(RandomJson.text(now, random));
      assertThat(ReceivedObject.differing(then, here, members))
          .as("seed %s", seed)
          .isEqualTo(expected);
    }
  }

  private static Optional<JsonElement> filled(JsonObject object, String member) {
    return Optional.of(object)
        .map(tree -> tree.get("metadata"))
        .filter(JsonElement::isJsonObject)
        .map(metadata -> metadata.getAsJsonObject().get(member))
        .filter(value -> !Set.of("null", "{}", "[]").contains(value.toString()));
  }

  @Test
  void whatFollowsTheMetadataOfAnObjectInALine_isReadWhenItIsNeeded() {
    for (int seed = 0; seed < 5_000; seed++) {
      Random random = new Random(seed);
      JsonObject tree = RandomJson.object(random, 0);
      tree.add("metadata", RandomJson.object(random, 1));
      tree.add("spec", RandomJson.value(random, 0));
      String object = RandomJson.text(tree, random);
      byte[] text = bytes("\n{\"type\":\"MODIFIED\",\"object\":" + object + ",\"more\":[{}]} \n");
      ReceivedObject whole = ReceivedObject.of(bytes(object));

      ReceivedEvent event = Objects.requireNonNull(ReceivedEvent.ofLine(text, 1, text.length - 1));
      ReceivedObject received = event.object();
      assertThat(received.name()).as("seed %s", seed).isEqualTo(whole.name());
      assertThat(received.resourceVersion()).as("seed %s", seed).isEqualTo(whole.resourceVersion());
      assertThat(received.metadata()).as("seed %s", seed).isEqualTo(whole.metadata());
      assertThat(parse(received.keptMetadata("g/v", "K")))
          .as("seed %s", seed)
          .isEqualTo(parse(whole.keptMetadata("g/v", "K")));
      assertThat(received.size()).as("seed %s", seed).isBetween(whole.size(), text.length);
      if (random.nextBoolean()) {
        assertThat(received.tree()).as("seed %s", seed).isEqualTo(tree);
      }
      assertThat(received.kept("g/v", "K")).as("seed %s", seed).isEqualTo(whole.kept("g/v", "K"));
      assertThat(received.size()).as("seed %s", seed).isEqualTo(whole.size());
    }
  }

  @Test
  void aFaultBehindTheMetadataOfALine_isFoundWhenMoreIsNeeded() {
    String line = "{\"type\":\"ADDED\",\"object\":{\"metadata\":{\"name\":\"a\"}%s}";
    for (String rest :
        List.of(
            ",\"spec\":{}",
            ",,\"spec\":{}}",
            ",\"metadata\":{}}",
            ",\"spec\":{[}",
            "}} {",
            "x}",
            "")) {
      byte[] text = bytes(line.formatted(rest));
      ReceivedObject object =
          Objects.requireNonNull(ReceivedEvent.ofLine(text, 0, text.length)).object();

      assertThat(object.name()).isEqualTo("a");
      for (int time = 0; time < 2; time++) {
        assertThatThrownBy(() -> object.kept("g/v", "K"))
            .as(rest)
            .isInstanceOf(JsonParseException.class);
      }
    }
  }

  @Test
  void anErrorInALine_isReadAtOnce() {
    byte[] text = bytes("{\"type\":\"ERROR\",\"object\":{\"metadata\":{},\"code\":410]}");

    assertThatThrownBy(() -> ReceivedEvent.ofLine(text, 0, text.length))
        .isInstanceOf(JsonParseException.class);
  }

  @Test
  void ofAMemberThatIsThereTwice_theLastOneCounts_asInATree() {
    byte[] text =
        bytes(
            "{\"metadata\":{\"name\":\"a\",\"labels\":{\"a\":\"1\"},\"name\":\"b\",\"labels\":{\"b\":\"2\"}}}");

    ReceivedObject object = ReceivedObject.of(text);

    assertThat(object.name()).isEqualTo("b");
    assertThat(object.metadata(Set.of("labels")))
        .isEqualTo(parse(bytes("{\"labels\":{\"b\":\"2\"}}")));
  }

  @Test
  void anEvent_isItsTypeAndItsObject_inEitherOrder() {
    for (String line :
        List.of(
            "{\"type\":\"ADDED\",\"object\":{\"metadata\":{\"name\":\"a\"}}}",
            " {\"object\": {\"metadata\":{\"name\":\"a\"}} , \"more\":[1], \"type\":\"ADDED\"}\r")) {
      ReceivedEvent event = Objects.requireNonNull(ReceivedEvent.of(bytes(line)));

      assertThat(event.type()).isEqualTo("ADDED");
      assertThat(event.object().name()).isEqualTo("a");
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "7",
        "null",
        "[]",
        "\"a\"",
        "{}",
        "{\"type\":\"ADDED\"}",
        "{\"type\":\"ADDED\",\"object\":null}",
        "{\"object\":{}}",
        "{\"type\":\"\",\"object\":{}}"
      })
  void whatIsNoEvent_isNone(String line) {
    assertThat(ReceivedEvent.of(bytes(line))).isNull();
  }

  @Test
  void anEventThatIsCut_anywhere_isAnError() {
    byte[] line =
        bytes(
            "{\"type\":\"ADDED\",\"object\":{\"kind\":\"K\",\"metadata\":{\"name\":\"a\\\\\",\"generation\":12,\"managedFields\":[{}]},\"spec\":{\"a\":[1,true,null]}}}");
    for (int length = 1; length < line.length; length++) {
      byte[] cut = java.util.Arrays.copyOf(line, length);
      assertThatThrownBy(() -> ReceivedEvent.of(cut))
          .as("after %s bytes", length)
          .isInstanceOf(JsonParseException.class);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{} {}",
        "{\"a\"}",
        "{a:1}",
        "{\"a\":1 \"b\":2}",
        "{\"a\":}",
        "{\"a\":1,}",
        "{\"metadata\":{\"generation\":1-2}}",
        "{\"metadata\":{\"name\":\"\\q\"}}"
      })
  void whatIsNoJson_isAnError(String text) {
    assertThatThrownBy(() -> ReceivedObject.of(bytes(text))).isInstanceOf(JsonParseException.class);
  }

  private static JsonObject metadataOnly(JsonObject metadata) {
    JsonObject object = new JsonObject();
    object.add("metadata", metadata);
    return object;
  }

  /** Adds an API version and a kind where there is none. */
  private static JsonObject typed(JsonObject object) {
    object.asMap().putIfAbsent("apiVersion", new JsonPrimitive("g/v"));
    object.asMap().putIfAbsent("kind", new JsonPrimitive("K"));
    return object;
  }

  private static String text(JsonElement object, String member) {
    return object instanceof JsonObject tree && tree.get(member) instanceof JsonPrimitive value
        ? value.getAsString()
        : "";
  }

  private static long number(JsonElement object) {
    return object instanceof JsonObject tree
            && tree.get("generation") instanceof JsonPrimitive value
            && value.isNumber()
        ? value.getAsLong()
        : 0;
  }

  private static JsonElement parse(byte[] json) {
    return JsonParser.parseString(new String(json, StandardCharsets.UTF_8));
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
