import Notifications
import Testing

@Suite("The name of a topic")
struct TopicARNTests {
    @Test(arguments: [
        ("arn:aws:sns:us-west-2:123456789012:shop", true, true),
        ("arn:aws-cn:sns:cn-north-1:123456789012:s", true, true),
        ("arn:aws:sns:x:0:a", true, false), ("arn:aws-other:sns:us-west-2:123456789012:shop", true, false),
        ("arn:aws:sns:US-WEST-2:123456789012:shop", true, false),
        ("arn:aws:sns:us-west-2:12345678901x:shop", true, false),
        ("arn:aws:sqs:us-west-2:123456789012:shop", false, false),
        ("arn:aws:sns:us-west-2:123456789012:", false, false),
        ("arn:aws:sns::123456789012:shop", false, false), ("arn:aws:sns:us-west-2:123456789012:a:b", false, false),
        ("ARN:aws:sns:us-west-2:123456789012:shop", false, false), ("shop", false, false), ("", false, false),
    ])
    func `has six parts, and the form that the vendor gives`(text: String, isTopic: Bool, isWellFormed: Bool) {
        #expect((TopicARN(text) != nil) == isTopic)
        #expect(TopicARN(text)?.isWellFormed ?? false == isWellFormed)
    }
}
