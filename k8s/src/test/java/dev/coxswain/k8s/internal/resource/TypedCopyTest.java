// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.internal.resource;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import dev.coxswain.k8s.client.Json;
import dev.coxswain.k8s.internal.resource.RandomTrees.Node;
import dev.coxswain.k8s.schema.Schema;
import dev.coxswain.testing.TestLength;
import io.kubernetes.client.openapi.models.V1Condition;
import io.kubernetes.client.openapi.models.V1Container;
import io.kubernetes.client.openapi.models.V1ContainerPort;
import io.kubernetes.client.openapi.models.V1PodSpec;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A typed change keeps what the class does not have, and changes what the class has. */
@SuppressWarnings("UnusedVariable") // fields that reflection reads
class TypedCopyTest {

  static Stream<Long> seeds() {
    return TestLength.seeds(30, 1_000);
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void randomChanges_keepTheUnknownMembersOfWhatIsStillThere(long seed) {
    Random random = new Random(seed);
    for (int i = 0; i < 8; i++) {
      RandomTrees trees = new RandomTrees(random);
      JsonObject stored = trees.node(3, false);
      JsonObject same = stored.deepCopy();
      TypedCopy<Node> copy = TypedCopy.of(stored, Node.class);

      JsonObject unchanged = copy.changedTo(copy.object());
      assertThat(MergePatch.diff(stored, unchanged).toString()).isEqualTo("{}");

      new RandomChanges(random, trees).change(copy.object());
      JsonObject changed = copy.changedTo(copy.object());

      int number = i;
      Supplier<String> trace =
          () -> "seed " + seed + ", object " + number + "\n" + stored + "\n" + changed;
      assertThat(stored).as(trace).isEqualTo(same);
      assertThat(Json.encode(Json.decode(changed, Node.class)))
          .as(trace)
          .isEqualTo(Json.encode(copy.object()));
      Map<Integer, JsonObject> found = new HashMap<>();
      collect(changed, found);
      found.forEach((no, unknown) ->
          assertThat(unknown)
              .as(() -> "node " + no + ", " + trace.get())
              .isEqualTo(trees.unknown.getOrDefault(no, new JsonObject())));
      assertThat(changed.toString()).as(trace).doesNotContain("coxswain.element");
    }
  }

  private static void collect(JsonElement tree, Map<Integer, JsonObject> found) {
    if (tree instanceof JsonObject object) {
      if (object.has("no")) {
        found.put(object.get("no").getAsInt(), RandomTrees.unknownOf(object));
      }
      object.asMap().values().forEach(value -> collect(value, found));
    } else if (tree instanceof JsonArray array) {
      array.forEach(value -> collect(value, found));
    }
  }

  private record Site(String zone, @Nullable Integer port, @Nullable Integer weight) {}

  private static final class Sites {
    @Schema(listMapKeys = {"zone", "port"})
    List<Site> sites = new ArrayList<>();

    List<Site> rules = new ArrayList<>();
    @Nullable TreeSet<String> sorted;
    @Nullable JsonObject free;
    int size = 3;
    Nested nested = new Nested();
  }

  private static final class Nested {
    String color = "red";
    int depth = 1;
  }

  private static <T> String changed(Class<T> type, String stored, Consumer<T> change) {
    JsonObject tree = JsonParser.parseString(stored).getAsJsonObject();
    TypedCopy<T> copy = TypedCopy.of(tree, type);
    change.accept(copy.object());
    return copy.changedTo(copy.object()).toString().replace('"', '\'');
  }

  @Test
  void newObject_withTheUsualKey_isTheElement() {
    assertThat(
            changed(
                V1PodSpec.class,
                "{'containers':[{'name':'a','new':1},{'name':'b','new':2}]}",
                spec ->
                    spec.setContainers(
                        List.of(
                            new V1Container().name("b").image("x"), new V1Container().name("c")))))
        .isEqualTo("{'containers':[{'name':'b','new':2,'image':'x'},{'name':'c'}]}");
  }

  @Test
  void newObject_withTheDeclaredKeys_isTheElement_wherePartsOfKeysAreNotUnique() {
    assertThat(
            changed(
                Sites.class,
                "{'sites':[{'zone':'a','port':1,'new':1},{'zone':'a','port':2,'new':2}]}",
                sites ->
                    sites.sites =
                        List.of(new Site("a", 2, 7), new Site("b", 1, 7), new Site("a", 1, 7))))
        .isEqualTo(
            "{'sites':[{'zone':'a','port':2,'new':2,'weight':7},{'zone':'b','port':1,'weight':7},"
                + "{'zone':'a','port':1,'new':1,'weight':7}]}");
  }

  @Test
  void newObjects_withoutKeys_areTheElementsAtTheirIndex_whereNothingMoved() {
    String stored = "{'rules':[{'zone':'a','new':1},{'zone':'b','new':2},{'zone':'c','new':3}]}";
    assertThat(
            changed(
                Sites.class,
                stored,
                sites ->
                    sites.rules =
                        List.of(
                            new Site("x", null, 1),
                            new Site("b", null, null),
                            new Site("c", null, 1))))
        .isEqualTo(
            "{'rules':[{'zone':'x','new':1,'weight':1},{'zone':'b','new':2},"
                + "{'zone':'c','new':3,'weight':1}]}");
    assertThat(
            changed(
                Sites.class,
                stored,
                sites -> {
                  sites.rules.removeFirst();
                  sites.rules.add(new Site("x", null, 1));
                }))
        .isEqualTo("{'rules':[{'zone':'b','new':2},{'zone':'c','new':3},{'zone':'x','weight':1}]}");
    assertThat(changed(Sites.class, stored, sites -> sites.rules = List.of(new Site("x", null, 1))))
        .as("nothing says which one it was")
        .isEqualTo("{'rules':[{'zone':'x','weight':1}]}");
  }

  @Test
  void equalElements_areToldApartByTheJavaObject() {
    assertThat(
            changed(
                Sites.class,
                "{'rules':[{'zone':'a','new':1},{'zone':'a','new':2},{'zone':'a','new':3}]}",
                sites -> {
                  sites.rules.remove(1);
                  sites.rules.addFirst(new Site("b", null, null));
                }))
        .isEqualTo("{'rules':[{'zone':'b'},{'zone':'a','new':1},{'zone':'a','new':3}]}");
  }

  @Test
  void anElementThatIsThereTwice_isACopyWithoutUnknownMembers() {
    assertThat(
            changed(
                Sites.class,
                "{'rules':[{'zone':'a','new':1}]}",
                sites -> sites.rules.add(sites.rules.getFirst())))
        .isEqualTo("{'rules':[{'zone':'a','new':1},{'zone':'a'}]}");
  }

  @Test
  void aConditionOfAnotherController_keepsItsFields() {
    assertThat(
            changed(
                Status.class,
                "{'conditions':[{'type':'Theirs','status':'True','severity':'high'},"
                    + "{'type':'Ours','status':'False','severity':'low'}]}",
                status -> {
                  List<V1Condition> all = new ArrayList<>(status.conditions);
                  all.set(1, new V1Condition().type("Ours").status("True"));
                  status.conditions = all;
                }))
        .isEqualTo(
            "{'conditions':[{'type':'Theirs','status':'True','severity':'high'},"
                + "{'type':'Ours','status':'True','severity':'low'}]}");
  }

  private static final class Status {
    List<V1Condition> conditions = new ArrayList<>();
  }

  @Test
  void defaultsOfTheClass_areNotWrittenUnlessChanged() {
    assertThat(changed(Sites.class, "{'x':1}", sites -> {})).isEqualTo("{'x':1}");
    assertThat(changed(Sites.class, "{'x':1}", sites -> sites.nested.depth = 2))
        .isEqualTo("{'x':1,'nested':{'depth':2}}");
  }

  @Test
  void aFreeTree_isChangedInPlace_withItsNulls() {
    assertThat(
            changed(
                Sites.class,
                "{'free':{'a':null,'b':[{'c':1}]},'size':3}",
                sites ->
                    Objects.requireNonNull(sites.free)
                        .getAsJsonArray("b")
                        .get(0)
                        .getAsJsonObject()
                        .addProperty("c", 2)))
        .isEqualTo("{'free':{'a':null,'b':[{'c':2}]},'size':3}");
  }

  @Test
  void numbersThatDoublesCannotTellApart_differ() {
    JsonObject one = JsonParser.parseString("{'n':[9007199254740992]}").getAsJsonObject();
    JsonObject other = JsonParser.parseString("{'n':[9007199254740993]}").getAsJsonObject();
    assertThat(MergePatch.diff(one, other).toString()).isEqualTo("{\"n\":[9007199254740993]}");
    assertThat(MergePatch.diff(one, one.deepCopy()).toString()).isEqualTo("{}");
  }

  @Test
  void portsWithoutTheDefaultedProtocol_areFoundByTheirNumber() {
    assertThat(
            changed(
                V1Container.class,
                "{'ports':[{'containerPort':80,'protocol':'TCP','new':1}]}",
                container -> {
                  container.setPorts(List.of(new V1ContainerPort().containerPort(80).hostPort(81)));
                }))
        .isEqualTo("{'ports':[{'containerPort':80,'new':1,'hostPort':81}]}");
  }
}
